# R runs this before a block, in place of the site's profile. It makes errors name the statement in which they happened,
# and plots without a device go to new files. The block's own environment contains nothing of it.
local({
    Sys.unsetenv("R_PROFILE")
    file <- "/dev/fd/90"
    text <- tryCatch(readLines(file, warn = FALSE), error = function(e) character())
    parsed <- tryCatch(parse(text = text, keep.source = TRUE), error = conditionMessage)
    done <- 0L
    addTaskCallback(function(...) {
        done <<- done + 1L
        TRUE
    }, name = "sayso")

    # R counts the lines of a function from the start of its statement, so its text is searched in the whole source.
    line_of <- function(ref) {
        if (is.null(ref)) return(NULL)
        part <- attr(ref, "srcfile")$lines
        # R keeps them as one string that contains line ends.
        part <- unlist(strsplit(part, "\n", fixed = TRUE))
        starts <- which(text == part[1])
        starts <- starts[starts <= length(text) - length(part) + 1L]
        fits <- vapply(starts, function(at) identical(text[seq(at, length.out = length(part))], part), NA)
        if (sum(fits) == 1L) starts[fits] + as.integer(ref)[1] - 1L
    }

    statement <- function() {
        if (is.character(parsed)) {
            if (!grepl("^Error: (unexpected|invalid|malformed|unmatched|INCOMPLETE)", geterrmessage())) return(NULL)
            place <- regmatches(parsed, regexpr("^<text>:[0-9]+", parsed))
            return(as.integer(sub("<text>:", "", place, fixed = TRUE)))
        }
        refs <- attr(parsed, "srcref")
        if (done < length(refs)) as.integer(refs[[done + 1L]])[1]
    }

    report <- function() {
        calls <- sys.calls()
        places <- tryCatch({
            inner <- unlist(lapply(rev(calls), function(call) line_of(attr(call, "srcref"))))
            unique(c(inner, statement()))
        }, error = function(e) NULL)
        for (at in places[seq_len(min(length(places), 10L))]) {
            cat("  at ", file, ":", at, "\n", sep = "", file = stderr())
        }
        quit("no", status = 1L, runLast = FALSE)
    }

    # A device that was chosen by name is not replaced.
    draw <- function(...) {
        there <- list.files(".")
        series <- 1L
        name <- "Rplot"
        # A later page that exists alone would be replaced too.
        while (any(grepl(paste0("^", name, "[0-9]{3,}[.]png$"), there))) {
            series <- series + 1L
            name <- paste0("Rplot-", series, "-")
        }
        grDevices::png(paste0(name, "%03d.png"), ...)
    }
    if (identical(Sys.getenv("R_DEFAULT_DEVICE"), "png")) options(device = draw)
    options(keep.source = TRUE, error = as.call(list(report)))
})
