# What a run of `make test` came to, from its log: counts of tests, and everything that was left out, once more.
# usage: awk -v status=STATUS -f summary.awk LOG

/^test result: / { rust += $4; rust_failed += $6; ignored += $8 }
/^[0-9]+ (passed|failed).* in [0-9.]+s/ { python = $0 }
/^SKIPPED/ && !seen[$0]++ { skipped[++n_skipped] = $0 }
/^make.*\*\*\*/ { broken[++n_broken] = $0 }

END {
    print ""
    printf "Rust: %d passed, %d failed, %d ignored\n", rust, rust_failed, ignored
    if (python) print "Python: " python
    for (i = 1; i <= n_broken; i++) print broken[i]
    for (i = 1; i <= n_skipped; i++) print skipped[i]
    if (status) print "FAILED: see " FILENAME
    else if (n_skipped) printf "all tests passed that could run; left out: %d, listed above\n", n_skipped
    else print "all tests passed"
}
