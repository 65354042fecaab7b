// A recurrence client to hold the server against: `cuecard parity --client 'node Tests/RecurrenceTests/Parity/client.mjs'`.
//
// It shares no method with the library: it walks through every day (every hour, minute or second for the finer rules)
// and asks of each, in the words of RFC 5545 3.3.10 and RFC 7529, whether the rule means it. Zones come from Node's own
// Intl. It reads cases, a JSON line each, and answers each with a line. Slow, and easy to check against the text.

import { createInterface } from 'node:readline'
import { lunarCalendar, gregorianCalendar } from './calendars.mjs'
import { instantOf, localAt } from './zones.mjs'

const DAY = 86400
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const UNITS = { SECONDLY: 1, MINUTELY: 60, HOURLY: 3600 }

// Local times are seconds, days are days, both since 1970-01-01 on the wall clock.
const seconds = text => Date.parse(text.length === 10 ? `${text}T00:00:00Z` : `${text}Z`) / 1000
const dayOf = time => Math.floor(time / DAY)
const text = (time, allDay) => new Date(time * 1000).toISOString().slice(0, allDay ? 10 : 19)
const weekdayOf = day => (((day + 3) % 7) + 7) % 7

function parse(rrule) {
  const rule = Object.fromEntries(rrule.split(';').map(part => part.split('=')))
  const list = name => rule[name]?.split(',')
  const numbers = name => list(name)?.map(Number)
  return {
    freq: rule.FREQ,
    interval: Number(rule.INTERVAL ?? 1),
    count: rule.COUNT && Number(rule.COUNT),
    until: rule.UNTIL,
    skip: rule.SKIP ?? 'OMIT',
    calendar: { CHINESE: () => lunarCalendar('china'), DANGI: () => lunarCalendar('korea') }[rule.RSCALE]?.() ?? gregorianCalendar,
    weekStart: WEEKDAYS.indexOf(rule.WKST ?? 'MO'),
    months: list('BYMONTH'),
    weekNumbers: numbers('BYWEEKNO'),
    yearDays: numbers('BYYEARDAY'),
    monthDays: numbers('BYMONTHDAY'),
    weekdays: list('BYDAY')?.map(item => ({ weekday: WEEKDAYS.indexOf(item.slice(-2)), nth: Number(item.slice(0, -2)) })),
    hours: numbers('BYHOUR'),
    minutes: numbers('BYMINUTE'),
    seconds: numbers('BYSECOND'),
    positions: numbers('BYSETPOS'),
  }
}

// "Information, not contained in the rule, necessary to determine the various recurrence instance start time and dates
// are derived from the Start Time (DTSTART)."
function complete(rule, start, allDay) {
  const day = dayOf(start)
  const date = rule.calendar.date(day)
  const full = { ...rule, countsInMonth: rule.freq === 'MONTHLY' || rule.months !== undefined }
  const named = rule.weekNumbers || rule.yearDays || rule.monthDays || rule.weekdays
  if (rule.freq === 'WEEKLY' && !rule.weekdays) full.weekdays = [{ weekday: weekdayOf(day), nth: 0 }]
  if (rule.freq === 'MONTHLY' && !named) full.monthDays = [date.day]
  if (rule.freq === 'YEARLY') {
    if (!named) full.monthDays = [date.day]
    if (rule.weekNumbers && !rule.weekdays && !rule.monthDays && !rule.yearDays) {
      full.weekdays = [{ weekday: weekdayOf(day), nth: 0 }]
    }
    if (full.monthDays && !rule.months && !rule.weekNumbers && !rule.yearDays) full.months = [date.month]
  }
  const second = start - day * DAY
  if (allDay) [full.hours, full.minutes, full.seconds] = [[0], [0], [0]]
  const size = UNITS[rule.freq] ?? DAY
  if (size > 3600) full.hours ??= [Math.floor(second / 3600)]
  if (size > 60) full.minutes ??= [Math.floor(second / 60) % 60]
  if (size > 1) full.seconds ??= [second % 60]
  return full
}

const weekOf = (day, weekStart) => Math.floor((day + 3 - weekStart) / 7)

// Week 1 is the first week with at least four days in the year.
function weekNumber(rule, day) {
  const fourth = 7 * weekOf(day, rule.weekStart) - 3 + rule.weekStart + 3 // the week's fourth day decides its year
  const year = rule.calendar.date(fourth).year
  const firstWeek = y => weekOf(rule.calendar.firstDay(y) + 3, rule.weekStart)
  return {
    year,
    number: weekOf(day, rule.weekStart) - firstWeek(year) + 1,
    fromEnd: weekOf(day, rule.weekStart) - firstWeek(year + 1),
  }
}

// An ordinal counts in the month or year that named the date; a day that SKIP moved out of it has no place there.
function isWeekdayMeant(rule, day, date) {
  return rule.weekdays.some(({ weekday, nth }) => {
    if (weekday !== weekdayOf(day)) return false
    if (nth === 0) return true
    const [place, length] = rule.countsInMonth ? [date.day, date.length] : [date.yearDay, date.yearLength]
    if (!(place <= length)) return false
    return nth > 0 ? Math.ceil(place / 7) === nth : -Math.ceil((length - place + 1) / 7) === nth
  })
}

// Whether a day is meant, seen as one of the dates that fall on it: its own, and those that SKIP moves to it.
function isDateMeant(rule, day, date) {
  if (rule.months && !rule.months.includes(date.month)) return false
  if (rule.monthDays && !rule.monthDays.some(n => n === date.day || n === date.dayFromEnd)) return false
  if (rule.yearDays && !rule.yearDays.some(n => n === date.yearDay || n === date.yearDayFromEnd)) return false
  if (rule.weekNumbers) {
    const week = weekNumber(rule, day)
    if (!rule.weekNumbers.some(n => n === week.number || n === week.fromEnd)) return false
  }
  return !rule.weekdays || isWeekdayMeant(rule, day, date)
}

// The period in which a date lies, counted from any beginning.
function periodOf(rule, day, date) {
  switch (rule.freq) {
    case 'YEARLY': return rule.weekNumbers ? weekNumber(rule, day).year : date.year
    case 'MONTHLY': return date.monthIndex
    case 'WEEKLY': return weekOf(day, rule.weekStart)
    default: return day
  }
}

function* byDays(rule, start, from, to) {
  const origin = periodOf(rule, dayOf(start), rule.calendar.date(dayOf(start)))
  // SKIP moves what a part names in a period that does not have it; a part that only limits names nothing.
  const skip = rule.freq === 'YEARLY' || rule.freq === 'MONTHLY' ? rule.skip : 'OMIT'
  const kinds = { monthDays: rule.monthDays, yearDays: rule.yearDays, leapMonths: rule.freq === 'YEARLY' && rule.months }
  const times = []
  for (const h of rule.hours) for (const m of rule.minutes) for (const s of rule.seconds) times.push(h * 3600 + m * 60 + s)
  for (let day = from; day <= to; day++) {
    for (const date of rule.calendar.dates(day, skip, kinds)) {
      const period = periodOf(rule, day, date)
      if ((period - origin) % rule.interval !== 0 || !isDateMeant(rule, day, date)) continue
      for (const time of times) yield [period, day * DAY + time]
    }
  }
}

function* byUnits(rule, start, from, to) {
  const unit = UNITS[rule.freq]
  const origin = Math.floor(start / unit)
  const inside = []
  for (const m of unit > 60 ? rule.minutes : [0]) for (const s of unit > 1 ? rule.seconds : [0]) inside.push(m * 60 + s)
  for (let day = from; day <= to; day++) {
    if (!isDateMeant(rule, day, rule.calendar.date(day))) continue
    for (let place = 0; place < DAY; place += unit) {
      const period = (day * DAY + place) / unit
      if ((period - origin) % rule.interval !== 0) continue
      if (rule.hours && !rule.hours.includes(Math.floor(place / 3600))) continue
      if (unit < 3600 && rule.minutes && !rule.minutes.includes(Math.floor(place / 60) % 60)) continue
      if (unit < 60 && rule.seconds && !rule.seconds.includes(place % 60)) continue
      for (const time of inside) yield [period, day * DAY + place + time]
    }
  }
}

// "BYSETPOS operates on a set of recurrence instances in one interval of the recurrence rule."
function chosen(rule, instances) {
  const periods = new Map()
  for (const [period, time] of instances) {
    if (!periods.has(period)) periods.set(period, new Set())
    periods.get(period).add(time)
  }
  const result = new Set()
  for (const set of periods.values()) {
    const times = [...set].sort((a, b) => a - b)
    const kept = rule.positions ? rule.positions.map(n => times.at(n > 0 ? n - 1 : n)).filter((_, i) => Math.abs(rule.positions[i]) <= times.length) : times
    for (const time of kept) result.add(time)
  }
  return [...result].sort((a, b) => a - b)
}

function untilLimit(rule, allDay, zone) {
  if (!rule.until) return () => true
  const [, y, m, d, rest] = rule.until.match(/^(\d{4})(\d\d)(\d\d)(.*)$/)
  const date = seconds(`${y}-${m}-${d}`)
  if (!rest) return time => time < date + DAY
  const limit = date + Number(rest.slice(1, 3)) * 3600 + Number(rest.slice(3, 5)) * 60 + Number(rest.slice(5, 7))
  return rest.endsWith('Z') ? time => instantOf(time, zone) <= limit : time => time <= limit
}

function expand(request) {
  const allDay = request.dtstart.length === 10
  const zone = allDay ? null : request.tzid
  const key = time => (zone ? instantOf(time, zone) : time)
  const start = seconds(request.dtstart)
  const [from, to] = [seconds(request.from), seconds(request.to)]
  let times = [start]
  if (request.rrule) {
    const rule = complete(parse(request.rrule), start, allDay)
    // A period that holds the start or the window's beginning is seen whole, and a day may be moved out of it.
    const margin = rule.freq === 'YEARLY' ? 800 : rule.freq in UNITS ? 2 : 70
    const begin = rule.count ? start : Math.max(start, seconds(request.from))
    const last = Math.min(dayOf(seconds(request.to)) + margin, rule.calendar.lastDay)
    const walk = rule.freq in UNITS ? byUnits : byDays
    const mayCome = untilLimit(rule, allDay, zone)
    times = chosen(rule, walk(rule, start, Math.max(dayOf(begin) - margin, rule.calendar.firstKnownDay), last))
    times = times.filter(time => time >= start).slice(0, rule.count).filter(mayCome)
  }
  const keys = new Set(times.map(key))
  for (const text of request.rdates ?? []) keys.add(key(text.length === 10 ? seconds(text) + (start - dayOf(start) * DAY) : seconds(text)))
  const exceptions = request.exdates ?? []
  for (const text of exceptions) if (text.length > 10) keys.delete(key(seconds(text)))
  const days = new Set(exceptions.filter(text => text.length === 10))
  const local = key => (zone ? localAt(key, zone) : key)
  // By what the clock shows.
  const isWithin = key => local(key) >= from && local(key) < to
  const found = [...keys].filter(key => isWithin(key) && !days.has(text(local(key), true))).sort((a, b) => a - b)
  const answer = { id: request.id, occurrences: found.map(key => text(local(key), allDay)) }
  return zone ? { ...answer, utc: found } : answer
}

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue
  let request
  try {
    request = JSON.parse(line)
    console.log(JSON.stringify(expand(request)))
  } catch (error) {
    console.log(JSON.stringify({ id: request?.id ?? null, error: { code: 'client', message: String(error) } }))
  }
}
