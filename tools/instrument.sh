#!/bin/sh
# What cargo calls instead of the compiler for packages of this workspace: the same call, with the flags of $INSTRUMENT.
# Packages of others stay as they are, and need not be compiled again. Where it is called for all packages, $INSTRUMENTED
# has the beginnings of the names of those that get the flags.
# shellcheck disable=SC2086
for name in ${INSTRUMENTED-""}; do
	case "$CARGO_CRATE_NAME" in
	"$name"*) exec "$@" $INSTRUMENT ;;
	esac
done
exec "$@"
