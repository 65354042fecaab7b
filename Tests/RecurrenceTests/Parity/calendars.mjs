// What day is it? A calendar answers with the date of a day, and, for SKIP (RFC 7529), with all dates that fall on it.
//
// A date: { year, month: '5' or '5L', monthIndex, length of the month, day, dayFromEnd, yearLength, yearDay,
// yearDayFromEnd }; of a date that SKIP moved here only the one number that does not exist.

import { readFileSync } from 'node:fs'

const DAY = 86400000
const cached = make => {
  const known = new Map()
  return key => known.get(key) ?? known.set(key, make(key)).get(key)
}

const gregorianFirstDay = cached(year => {
  const date = new Date(0)
  date.setUTCFullYear(year, 0, 1)
  return date.getTime() / DAY
})

const places = (day, length) => ({ day, length, dayFromEnd: day - length - 1 })
const yearPlaces = (yearDay, yearLength) => ({ yearDay, yearLength, yearDayFromEnd: yearDay - yearLength - 1 })

const gregorianDate = day => {
  const date = new Date(day * DAY)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const first = gregorianFirstDay(year)
  return {
    year, month: String(month + 1), monthIndex: year * 12 + month,
    ...places(date.getUTCDate(), new Date(Date.UTC(2000 + (year % 400), month + 1, 0)).getUTCDate()),
    ...yearPlaces(day - first + 1, gregorianFirstDay(year + 1) - first),
  }
}

// A date with one number alone.
const only = (date, number) => ({
  ...date, day: undefined, dayFromEnd: undefined, yearDay: undefined, yearDayFromEnd: undefined, ...number,
})

// The dates that fall on a day once SKIP has moved those that do not exist; a rule says which kinds it may name:
// { days of the month, days of the year, leap months }.
function movedDates(calendar, day, skip, kinds) {
  const own = calendar.date(day)
  if (skip === 'OMIT') return [own]
  const dates = [own]
  const add = (date, name, from, to) => {
    for (let n = from; n <= to; n++) dates.push(only(date, { [name]: name.endsWith('End') ? -n : n }))
  }
  const isBackward = skip === 'BACKWARD'
  // Beyond the end of a month or a year: back to its last day, or forward to the next one's first day.
  // Before its beginning, counted from the end: forward to its first day, or back to the last day before it.
  const before = day > calendar.firstKnownDay ? calendar.date(day - 1) : undefined
  const after = day < calendar.lastDay ? calendar.date(day + 1) : undefined
  const late = isBackward ? own : before
  const early = isBackward ? after : own
  if (kinds.monthDays && (isBackward ? own.day === own.length : own.day === 1)) {
    if (late) add(late, 'day', late.length + 1, 31)
    if (early) add(early, 'dayFromEnd', early.length + 1, 31)
  }
  if (kinds.yearDays && (isBackward ? own.yearDay === own.yearLength : own.yearDay === 1)) {
    if (late) add(late, 'yearDay', late.yearLength + 1, 385)
    if (early) add(early, 'yearDayFromEnd', early.yearLength + 1, 385)
  }
  // A leap month that a year does not have is the month of its number, or the one after it.
  return !kinds.leapMonths ? dates : dates.flatMap(date => [date, ...calendar.absentLeapMonths(date, skip)])
}

const known = (calendar, date) => Object.assign(calendar, { date: cached(date), dates: (day, skip, kinds) => movedDates(calendar, day, skip, kinds) })

export const gregorianCalendar = known({
  firstDay: gregorianFirstDay, firstKnownDay: -Infinity, lastDay: Infinity, absentLeapMonths: () => [],
}, gregorianDate)

// The published tables, one line a lunar month.
export const lunarCalendar = cached(country => {
  const file = new URL(`../Vectors/lunar-${country}.tsv`, import.meta.url)
  const rows = readFileSync(file, 'utf8').split('\n').filter(line => /^\d/.test(line)).map(line => {
    const [year, number, isLeap, first, length] = line.split('\t')
    return { year: Number(year), month: isLeap === '1' ? `${number}L` : number, first: Date.parse(`${first}T00:00:00Z`) / DAY, length: Number(length) }
  })
  const firstKnownDay = rows[0].first
  const end = rows.at(-1).first + rows.at(-1).length
  const firstDays = new Map(rows.filter(row => row.month === '1').map(row => [row.year, row.first]))
  firstDays.set(rows.at(-1).year + 1, end)
  const names = new Set(rows.map(row => `${row.year} ${row.month}`))
  const indices = []
  rows.forEach((row, index) => { for (let n = 0; n < row.length; n++) indices[row.first - firstKnownDay + n] = index })
  const date = day => {
    const monthIndex = indices[day - firstKnownDay]
    const { year, month, first, length } = rows[monthIndex]
    return {
      year, month, monthIndex, ...places(day - first + 1, length),
      ...yearPlaces(day - firstDays.get(year) + 1, firstDays.get(year + 1) - firstDays.get(year)),
    }
  }
  const absentLeapMonths = (date, skip) => {
    if (date.month.endsWith('L')) return []
    const number = Number(date.month)
    const [year, leap] = skip === 'BACKWARD' ? [date.year, number] : number > 1 ? [date.year, number - 1] : [date.year - 1, 12]
    return names.has(`${year} ${leap}L`) ? [] : [{ ...date, year, month: `${leap}L` }]
  }
  return known({ firstDay: year => firstDays.get(year), firstKnownDay, lastDay: end - 1, absentLeapMonths }, date)
})
