import PostgresStore

extension Store.WorkerStatus {
    /// What keeps the work from being done, one line each.
    var obstacles: [String] {
        var lines = overdue.map {
            "devices of \($0.environment) \($0.bundleID) are due and no tick came for \($0.minutes ?? 3) minutes;"
                + " look at what calls /tick"
        }
        if waitingChanges > 0 && overdue.isEmpty {
            lines.append("changes of the calendar have waited for 3 minutes and no tick came; look at what calls /tick")
        }
        // One app's fault is no fault of the worker; with every lane paused it can send nothing.
        if lanes > 0 && paused.count == lanes {
            lines += paused.map {
                "\($0.environment) \($0.bundleID) is paused: \($0.reason ?? "its key is refused"); look at its key and team"
            }
        }
        return lines
    }
}
