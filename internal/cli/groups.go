package cli

// The groups that the help lists the commands in.
const (
	groupRules = "rules"
	groupData  = "data"
)
