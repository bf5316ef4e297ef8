#!/bin/sh
# Customers arrive one by one at a model that deeppsl serves, and join those that they are. Needs deeppsl and curl.
set -eu
cd "$(dirname "$0")"
log=$(mktemp)
deeppsl serve arrivals.json --listen 127.0.0.1:0 --json --quiet >"$log" &
trap 'kill $!; wait $! || true; rm -f "$log"' EXIT
trap 'exit 1' HUP INT PIPE TERM
until grep -q url "$log"; do sleep 0.1; done
at=$(sed 's/.*"url": *"\([^"]*\)".*/\1/' "$log")

# arrive NUMBER NAME PHONE STREET OTHERS…: what is known of a customer, and whom it may be.
arrive() {
	new=$1
	changes="{\"change\": \"observe\", \"predicate\": \"Name\", \"arguments\": [\"$new\", \"$2\"], \"value\": 1}
		, {\"change\": \"observe\", \"predicate\": \"Phone\", \"arguments\": [\"$new\", \"$3\"], \"value\": 1}
		, {\"change\": \"observe\", \"predicate\": \"Street\", \"arguments\": [\"$new\", \"$4\"], \"value\": 1}"
	echo
	echo "$new is $2, $3, $4."
	shift 4
	for other; do
		changes="$changes, {\"change\": \"target\", \"predicate\": \"Same\", \"arguments\": [\"$new\", \"$other\"]}
			, {\"change\": \"target\", \"predicate\": \"Same\", \"arguments\": [\"$other\", \"$new\"]}"
	done
	curl -sf "${at}v1/updates" -H 'Content-Type: application/json' -d "{\"changes\": [$changes]}"
	curl -sf "${at}v1/atoms/Same?contains=$new&min=0.5&order=value"
}

echo "At first:"
curl -sf "${at}v1/atoms/Same?min=0.5"
arrive c4 'A. Miller' 555-0101 'Mill Lane' c1 c2
arrive c5 'Bob Stone' 555-0177 'High Street' c3
arrive c6 'Carla Reyes' 555-0123 'High Street' c3 c5

echo
echo "Why is c4 the same as c1?"
curl -sf "${at}v1/atoms/Same/explain?argument=c4&argument=c1" | tr '{' '\n' | grep -o '"ground_rule":"[^"]*"' | head -3
