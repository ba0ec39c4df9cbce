#!/bin/sh
# What cargo calls instead of the compiler for packages of this workspace: the same call, with the flags of $INSTRUMENT.
# Packages of others stay as they are, and need not be compiled again.
# shellcheck disable=SC2086
exec "$@" $INSTRUMENT
