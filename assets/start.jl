# Runs a block of Julia, whose source comes from descriptor 90. Its name is `block N` in the working folder, or that of
# the person's file: errors show that name, and `include` searches beside it. Pictures that it displays are written to
# descriptor 92 as frames, and so is its last value if that is a picture. The block's own names contain nothing of this.
Core.eval(Module(:sayso), Expr(:toplevel, (quote
    const HERE = $(@__FILE__)
    const FILE = joinpath(pwd(), pop!(ARGS))
    const KINDS = (MIME("image/png") => "png", MIME("image/svg+xml") => "svg", MIME("image/jpeg") => "jpg")
    const PICTURES = fdio(92)
    const MADE = Ref(0)

    field(bytes) = vcat(reinterpret(UInt8, [hton(UInt32(length(bytes)))]), bytes)

    function keep(mime, ending, value)
        shown = IOBuffer()
        Base.invokelatest(show, shown, mime, value)
        name = codeunits("figure-$(MADE[] += 1).$ending")
        frame = vcat(UInt8('I'), field(zeros(UInt8, 16)), field(name), field(take!(shown)))
        write(PICTURES, field(frame))
        flush(PICTURES)
        nothing
    end

    is_picture(value) = any(kind -> Base.invokelatest(showable, kind[1], value), KINDS)

    struct Pictures <: AbstractDisplay end
    Base.display(::Pictures, mime::MIME"image/png", value) = keep(mime, "png", value)
    Base.display(::Pictures, mime::MIME"image/svg+xml", value) = keep(mime, "svg", value)
    Base.display(::Pictures, mime::MIME"image/jpeg", value) = keep(mime, "jpg", value)
    function Base.display(pictures::Pictures, value)
        for (mime, ending) in KINDS
            Base.invokelatest(showable, mime, value) && return keep(mime, ending, value)
        end
        # Julia then tries the next display.
        throw(MethodError(display, (pictures, value)))
    end

    # The frames of the block and of what it calls, without those of this script.
    function trace_of(backtrace)
        frames = stacktrace(backtrace)
        own = findfirst(frame -> string(frame.file) == HERE, frames)
        frames = own === nothing ? frames : frames[1:own-1]
        starts(frame) = frame.func in (:include_string, :eval) && string(frame.file) in ("./loading.jl", "./boot.jl", "loading.jl", "boot.jl")
        while !isempty(frames) && starts(frames[end])
            pop!(frames)
        end
        frames
    end

    # Whether the code ends in a semicolon, apart from comments after it.
    function ends_silently(text)
        lines = split(text, '\n')
        while !isempty(lines) && occursin(r"^\s*(#|$)", lines[end])
            pop!(lines)
        end
        isempty(lines) && return false
        line = lines[end]
        # Inside a string a `#` does not begin a comment.
        occursin(r"[\"']", line) || (line = first(split(line, '#')))
        endswith(rstrip(line), ';')
    end

    function start()
        # Plots open no window.
        get!(ENV, "GKSwstype", "100")
        pushdisplay(Pictures())
        Core.eval(Base, :(PROGRAM_FILE = $FILE))
        task_local_storage(:SOURCE_PATH, FILE)
        try
            text = read("/dev/fd/90", String)
            value = include_string(Main, text, FILE)
            # As in Julia itself, a semicolon at the end means that the value is not shown.
            ends_silently(text) || is_picture(value) && Base.invokelatest(display, value)
        catch error
            print(stderr, "ERROR: ")
            Base.invokelatest(showerror, stderr, error, trace_of(catch_backtrace()))
            println(stderr)
            exit(1)
        end
    end

    start()
end).args...))
