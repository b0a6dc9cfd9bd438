export {
  type Budget,
  BudgetExceededError,
  type BudgetPassed,
  beginningOf,
  leftOf,
  type Period,
  periods,
  type Standing,
} from './budget.ts';
export { type Cooldown, CooldownError } from './cooldown.ts';
export { type Bar, type ChartAnswer, type ChartOrder, type ChartTheme, drawChart } from './chart/chart.ts';
export { clipSeconds, type SecondsRange, speechSeconds } from './clip-length/clip-seconds.ts';
export * from './credits.ts';
export { Credits, type Limits, type PaidCalls, type Reservation, type Settlement } from './credits.ts';
export { type PaidCall, paidUnder, putBack, type Quantity, type Spending } from './ledger.ts';
export { type Grouping, groupings, type UsageLine, type UsageScope } from './usage.ts';
