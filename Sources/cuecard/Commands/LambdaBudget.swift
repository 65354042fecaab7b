/// How long a tick may take on new batches, so that the last one ends before Lambda stops the process.
struct LambdaBudget: Equatable {
    var duration: Duration
    /// Whether even one batch may be cut off; it is safe, but a start that was cut off stays unknown.
    var isShort: Bool

    /// A batch's own time at most: 15 s to get its pushes on their way, 10 s for the last answer, 5 s to write it down.
    static let margin: Duration = .seconds(30)
    private static let least: Duration = .seconds(1)

    /// The smaller one of what the settings say and of what the invocation has left, without the margin.
    init(settings: Duration, left: Duration) {
        let room = left - Self.margin
        duration = max(Self.least, min(settings, room))
        isShort = room < Self.least
    }
}
