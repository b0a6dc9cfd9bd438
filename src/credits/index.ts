export { type Budget, BudgetExceededError, leftOf, type Standing } from './budget.ts';
export {
  type Bar,
  type ChartAnswer,
  type ChartOrder,
  type ChartTheme,
  drawChart,
} from './chart/chart.ts';
export { clipSeconds } from './clip-length/clip-seconds.ts';
export { type SecondsRange, speechSeconds } from './clip-length/speech-seconds.ts';
export { Credits, type PaidCalls } from './credits.ts';
export * from './estimate.ts';
export { type PaidCall, putBack, type Quantity, type Spending } from './ledger.ts';
export { beginningOf, type Period, periods } from './periods.ts';
export type { Reservation, Settlement } from './settlement.ts';
export { type Grouping, groupings, type UsageLine, type UsageScope } from './usage.ts';
