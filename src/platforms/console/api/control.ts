import type { ControlOutcome, TrailStep } from '../../../port/control-room.ts';

export type {
  ControlledPlace as WirePlace,
  ControlOutcome as WireControlOutcome,
  ControlState as WireControl,
  DaySpending as WireDay,
  Fault as WireFault,
  LiveWork as WireWork,
  Spender as WireSpender,
  SpendingKind as WireKind,
  TrailStep as WireStep,
  WorkStage as WireStage,
} from '../../../port/control-room.ts';

/** What an action came to. */
export interface WireControlled {
  readonly outcome: ControlOutcome;
}

/** A command's way. */
export interface WireTrail {
  readonly steps: readonly TrailStep[];
}
