#!/bin/sh
# A feed of claims goes into a model that deeppsl serves, one by one. Needs deeppsl and curl.
set -eu
cd "$(dirname "$0")"
log=$(mktemp)
deeppsl serve claims.json --listen 127.0.0.1:0 --json --quiet >"$log" &
trap 'kill $!; wait $! || true; rm -f "$log"' EXIT
trap 'exit 1' HUP INT PIPE TERM
until grep -q url "$log"; do sleep 0.1; done
at=$(sed 's/.*"url": *"\([^"]*\)".*/\1/' "$log")

# target PREDICATE ARGUMENTS: a change that has an atom inferred.
target() { echo "{\"change\": \"target\", \"predicate\": \"$1\", \"arguments\": [$2]}"; }

tab=$(printf '\t')
while IFS=$tab read -r source thing value; do
	echo
	echo "$source says that the $thing is $value. Trusted, and true by now:"
	curl -sf "${at}v1/updates" -o "$log" -H 'Content-Type: application/json' -d "{\"changes\": [
		{\"change\": \"observe\", \"predicate\": \"Claims\", \"arguments\": [\"$source\", \"$thing\", \"$value\"], \"value\": 1},
		$(target Trusted "\"$source\""), $(target True "\"$thing\", \"$value\"")]}"
	curl -sf "${at}v1/atoms/Trusted?order=value" | tr '{' '\n' | grep -o '\["[^]]*\],"value":[0-9.]*'
	curl -sf "${at}v1/atoms/True?order=value&min=0.2" | tr '{' '\n' | grep -o '\["[^]]*\],"value":[0-9.]*'
done <feed.tsv
