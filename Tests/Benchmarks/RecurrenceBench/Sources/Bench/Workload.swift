/// One question about one rule; the names are those of the table that the bench prints.
struct Workload {
    let name: String
    let years: Int
    let start: String
    let zone: String?
    let rule: String
    /// A window of one day from here; or the next occurrence from here, without a window.
    let isWindow: Bool

    static let now = "2026-11-30T12:00:00"

    static let all: [Workload] =
        [1, 10, 60].flatMap { years in
            [
                Workload(years, "W1", rule: "FREQ=DAILY", isWindow: true),
                Workload(years, "W2", rule: "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
                Workload(years, "W3", rule: "FREQ=MONTHLY;BYMONTHDAY=-1"),
            ]
        } + [
            Workload(30, "W4", start: "1996-02-29T09:00:00", rule: "FREQ=YEARLY"),
            Workload(1, "W5", zone: "America/New_York", rule: "FREQ=DAILY;COUNT=3650", isWindow: true),
            Workload(9, "W5", zone: "America/New_York", rule: "FREQ=DAILY;COUNT=3650", isWindow: true),
            Workload(60, "W5", zone: "America/New_York", rule: "FREQ=DAILY;COUNT=36500", isWindow: true),
            Workload(30, "W6", rule: "RSCALE=CHINESE;FREQ=YEARLY"),
        ]

    /// For the other engines' programs: name, years, start, now, rule, seconds of the window.
    var line: String {
        let (start, now) = (start.filter { $0 != "-" && $0 != ":" }, Self.now.filter { $0 != "-" && $0 != ":" })
        return "\(name)\t\(years)\t\(start)\t\(now)\t\(rule)\t\(isWindow ? 86_400 : 0)"
    }

    private init(
        _ years: Int, _ name: String, start: String? = nil, zone: String? = nil, rule: String, isWindow: Bool = false
    ) {
        self.name = name
        self.years = years
        self.start = start ?? "\(2026 - years)-11-30T09:00:00"
        self.zone = zone
        self.rule = rule
        self.isWindow = isWindow
    }
}
