/// The shell script that sets a cluster up, runs it, and takes it down when its owner is gone.
///
/// Its standard input is a socket whose other end only the owner holds: however the owner ends, SIGKILL included,
/// the kernel closes that end and `read` returns. (A parent-death signal is bound to the thread that started us.)
enum Supervisor {
    /// The script; it runs under any POSIX shell.
    ///
    /// Arguments: the folder, the binaries' folder, the port, words that change the user (or none), server options.
    /// It says `ready` on standard output once the server answers; what goes wrong is in the file `log`.
    static let script = #"""
        set -u
        folder=$1 binaries=$2 port=$3 as=$4
        shift 4
        server=
        clean() {
            trap '' INT TERM HUP PIPE
            [ -z "$server" ] || { kill -QUIT "$server"; wait "$server"; } 2>/dev/null
            cd / && rm -rf "$folder"
        }
        trap clean EXIT
        # PIPE too: `echo` meets it where the owner has gone already.
        trap exit INT TERM HUP PIPE
        cd "$folder" || exit

        $as "$binaries/initdb" --no-sync --no-instructions --auth=trust --username=postgres \
            --encoding=UTF8 --locale=C --pgdata="$folder/data" >log 2>&1 </dev/null || { tail -n 3 log; exit; }
        $as "$binaries/postgres" -D "$folder/data" -k "$folder" -p "$port" "$@" >>log 2>&1 </dev/null &
        server=$!
        until "$binaries/pg_isready" --quiet --host="$folder" --port="$port"; do
            kill -0 "$server" 2>/dev/null || { tail -n 3 log; exit; }
            sleep 0.05
        done
        echo ready
        read -r _
        """#
}
