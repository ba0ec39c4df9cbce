# RcppML's NMF for rivals.py: reads the matrix and says so; fits when told; writes the factors.
#
# usage: Rscript rivals_rcppml.R X.mtx TOPICS SEED THREADS OUT
#
# X is words x documents. After "go" on standard input it says "done"; after "write" it writes OUT-w.csv (words x topics,
# each of sum 1), OUT-h.csv (topics x documents, each of sum 1) and OUT-d.csv (scales), and says how many iterations it took.

arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages({
  library(Matrix)
  library(RcppML)
})
setRcppMLthreads(as.integer(arguments[4]))
x <- as(as(readMM(arguments[1]), "generalMatrix"), "CsparseMatrix")
input <- file("stdin", open = "r")
cat("ready\n")
flush(stdout())
invisible(readLines(input, 1))
found <- nmf(x, as.integer(arguments[2]), seed = as.integer(arguments[3]), verbose = FALSE)
cat("done\n")
flush(stdout())
invisible(readLines(input, 1))
save <- function(values, name) {
  write.table(values, paste0(arguments[5], name), sep = ",", row.names = FALSE, col.names = FALSE)
}
save(found$w, "-w.csv")
save(found$h, "-h.csv")
save(found$d, "-d.csv")
cat(found$iter, "\n")
