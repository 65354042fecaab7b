// Local times and instants, by asking Node's Intl for the offset at an instant.

const formats = new Map()
const offsets = new Map()

// Seconds east of UTC.
function offsetAt(instant, zone) {
  const key = `${zone} ${instant}`
  if (!offsets.has(key)) {
    if (!formats.has(zone)) {
      formats.set(zone, new Intl.DateTimeFormat('en-US', {
        timeZone: zone, hourCycle: 'h23', era: 'short', year: 'numeric', month: 'numeric', day: 'numeric',
        hour: 'numeric', minute: 'numeric', second: 'numeric',
      }))
    }
    const parts = Object.fromEntries(formats.get(zone).formatToParts(instant * 1000).map(part => [part.type, part.value]))
    const local = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) / 1000
    offsets.set(key, local - instant)
  }
  return offsets.get(key)
}

export const localAt = (instant, zone) => instant + offsetAt(instant, zone)

// RFC 5545 3.3.5: the first of two, and the offset before the gap for a time that does not exist.
export function instantOf(local, zone) {
  const before = offsetAt(local - 86400, zone)
  const after = offsetAt(local + 86400, zone)
  const fitting = [before, after].map(offset => local - offset).filter(instant => localAt(instant, zone) === local)
  return fitting.length ? Math.min(...fitting) : local - before
}
