public import Foundation

/// The times that iOS and APNs set, and our distances from them; all in seconds.
public enum Limits {
    /// The system ends a card after this.
    public static let cardLife: TimeInterval = 8 * 3600
    /// A card that lasts longer is renewed from this age on.
    public static let renewalAge: TimeInterval = 7 * 3600
    /// No card is on a screen longer than this, whatever happened to it.
    public static let longestOnScreen: TimeInterval = 12 * 3600
    /// Between two updates of one card: ticks come once a minute, give or take some seconds, and more often adds none.
    public static let betweenUpdates: TimeInterval = 45
    /// Between two starts of one occurrence.
    public static let betweenGenerations: TimeInterval = 15 * 60
    /// What the budgets of starts and wakes are counted over.
    public static let budgetWindow: TimeInterval = 60 * 60
    /// Silent pushes that a device gets in any 60 minutes; the last of them is kept for take-downs.
    public static let wakesPerHour = 2
    /// Between two silent pushes: the app needs time to answer, and the system keeps only the newest.
    public static let betweenWakes: TimeInterval = 15 * 60
    /// A new card's token may still be on its way.
    public static let firstWakeAge: TimeInterval = 3 * 60
    /// A start that expires earlier would hardly be tried.
    public static let shortestExpiration: TimeInterval = 60
}
