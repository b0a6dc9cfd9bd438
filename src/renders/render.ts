import type { MessageAddress, PlatformErrorKind } from '../port/index.ts';
import type { RenderState } from '../store/index.ts';

export type RenderKind = 'image' | 'video';

/** Why a render ended without a result. */
export type RenderFault =
  | { readonly code: 'refused'; readonly reason: string }
  /** The service answered with a failure of its own: it may have charged. */
  | { readonly code: 'server' }
  | { readonly code: 'failed'; readonly reason?: string }
  | { readonly code: 'deadline'; readonly minutes: number }
  /** For so many days of running time no question about it was answered: it may have been charged. */
  | { readonly code: 'unanswered'; readonly days: number }
  | { readonly code: 'result-gone' }
  /** What the service called ready is of another kind, as a cover and no film: it may have charged. */
  | { readonly code: 'wrong-kind' }
  | { readonly code: 'task-gone' }
  | {
      readonly code: 'result-too-large';
      readonly limit: number;
      readonly bytes?: number;
      readonly link?: string;
    }
  | { readonly code: 'not-sent'; readonly error: 'authentication' | 'credit' | 'rate-limit' | 'unreachable' }
  | { readonly code: 'delivery'; readonly kind: PlatformErrorKind; readonly detail?: string };

/** What was made, once it is on this machine's disk. */
export interface RenderResult {
  readonly contentType: string;
  readonly bytes: number;
  /** The service's address of it, where people may open it. */
  readonly link?: string;
}

/** An image or a video being made: a row of the `renders` table. */
export interface Render {
  /** The job's id. */
  readonly id: string;
  readonly kind: RenderKind;
  readonly state: RenderState;
  readonly request: unknown;
  readonly conversationId: string;
  /** The message that shows how far it is. */
  readonly message: MessageAddress;
  readonly taskId: string | undefined;
  readonly result: RenderResult | undefined;
  readonly fault: RenderFault | undefined;
  readonly createdAt: number;
  /** Running time for which it was waited for, in milliseconds: while the process was down nobody waited. */
  readonly waited: number;
  /** Running time since the service last said anything about it, while it was asked, in milliseconds. */
  readonly unanswered: number;
  /** Tries in this state that came to nothing: results that were not there. */
  readonly attempts: number;
}
