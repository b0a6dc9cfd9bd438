import { type Selectable, sql } from 'kysely';
import type { MessageAddress, PlatformErrorKind } from '../port/index.ts';
import type { ImageRequest, VideoRequest } from '../service/index.ts';
import type { RendersTable, RenderState } from '../store/index.ts';

/** The order to the service. */
export type RenderRequest =
  | { readonly kind: 'image'; readonly request: ImageRequest }
  | { readonly kind: 'video'; readonly request: VideoRequest };

export type RenderKind = RenderRequest['kind'];

/** Why a render ended without a result. */
export type RenderFault =
  /** A person canceled it before it was sent. */
  | { readonly code: 'canceled' }
  /** What it was to be made from was deleted before it was sent; `isLost`: nobody deleted it, but the disk or the database lost it. */
  | { readonly code: 'source-gone'; readonly isLost?: true }
  | { readonly code: 'refused'; readonly reason?: string }
  /** The service answered with an error of its own: it may have charged. */
  | { readonly code: 'server' }
  | { readonly code: 'failed'; readonly reason?: string }
  | { readonly code: 'deadline'; readonly minutes: number }
  /** For so many days of running time no status query was answered: it may have been charged. */
  | { readonly code: 'unanswered'; readonly days: number }
  | { readonly code: 'result-gone' }
  /** What the service called ready is of another kind, such as a cover instead of a video: it may have charged. */
  | { readonly code: 'wrong-kind' }
  | { readonly code: 'task-gone' }
  | {
      readonly code: 'result-too-large';
      readonly limit: number;
      readonly bytes?: number;
      readonly link?: string;
    }
  | { readonly code: 'not-sent'; readonly error: 'authentication' | 'credit' | 'rate-limit' | 'unreachable' }
  /** Its place took not even the message that shows the progress: it was never sent. */
  | { readonly code: 'no-place'; readonly kind: PlatformErrorKind; readonly detail?: string }
  | { readonly code: 'delivery'; readonly kind: PlatformErrorKind; readonly detail?: string };

/** A result that was fetched: it waits in the `spool`. */
export interface RenderResult {
  readonly contentType: string;
  readonly bytes: number;
  /** Its URL at the service, if people can open it. */
  readonly link?: string;
}

interface RenderRow {
  /** Made by {@link renderId}. */
  readonly id: string;
  /** The job's id. */
  readonly job: string;
  /** Which of the job's renders it is, from 1. */
  readonly part: number;
  /** How many renders the job has; their results are posted in one message. */
  readonly parts: number;
  readonly state: RenderState;
  readonly conversationId: string;
  /** The message that shows how far it is. */
  readonly message: MessageAddress;
  readonly taskId: string | undefined;
  readonly result: RenderResult | undefined;
  readonly fault: RenderFault | undefined;
  /** Where its end was posted. */
  readonly delivered: MessageAddress | undefined;
  readonly createdAt: number;
  /** Running time it has waited for its result, in milliseconds; time while the process was down doesn't count. */
  readonly waited: number;
  /** Running time since the service last answered a query about it, in milliseconds. */
  readonly unanswered: number;
  /** Looks in this state at something that wasn't there. */
  readonly attempts: number;
  /** A process is at work on it; otherwise it waits, or nothing is left to do for it. */
  readonly isInHand: boolean;
}

/** An image or a video being made: a row of the `renders` table. */
export type Render = RenderRow &
  ({ readonly kind: 'image' } | { readonly kind: 'video'; readonly seed: number | undefined });
export type ImageRender = Extract<Render, { kind: 'image' }>;
export type VideoRender = Extract<Render, { kind: 'video' }>;

/** A render that is put on record. */
export type NewRender = Pick<
  Render,
  'job' | 'part' | 'parts' | 'kind' | 'conversationId' | 'message' | 'createdAt'
> & {
  /** JSON, made by `keepRequest`. */
  readonly request: string;
};

/** What changes from one state to the next. */
export type RenderChange = Partial<
  Pick<RenderRow, 'state' | 'message' | 'taskId' | 'result' | 'fault' | 'attempts' | 'waited' | 'unanswered'>
>;

/** What decides when a render from an earlier process continues. */
export type OpenRender = Pick<
  Render,
  'id' | 'job' | 'kind' | 'state' | 'message' | 'waited' | 'unanswered' | 'attempts' | 'createdAt'
>;

/** The id of a job's render: the first one's is the job's own. */
export function renderId(job: string, part: number): string {
  return part === 1 ? job : `${job}.${part}`;
}

/** Whether nothing more will be made: there is a result, or there will be none. */
export function hasEnded({ state }: Pick<Render, 'state'>): boolean {
  return state === 'ready' || state === 'delivered' || state === 'failed' || state === 'uncertain';
}

/** Whether there is a result. */
export function isMade({ state }: Pick<Render, 'state'>): boolean {
  return state === 'ready' || state === 'delivered';
}

/** What's read of a row: not the request, which is only sent, and has megabytes of images in rows of former versions. */
export const readColumns = [
  ...(['renders.id', 'renders.job', 'renders.part', 'renders.parts', 'renders.kind'] as const),
  ...(['renders.state', 'renders.conversation_id', 'renders.message', 'renders.task_id'] as const),
  ...(['renders.result', 'renders.delivered', 'renders.fault', 'renders.attempts'] as const),
  ...(['renders.created_at', 'renders.updated_at', 'renders.waited_ms', 'renders.unanswered_ms'] as const),
  ...(['renders.process', 'renders.wakes_at', 'renders.pending'] as const),
  sql<string | null>`case when renders.kind = 'video' then renders.request end`.as('video'),
] as const;

export type ReadRender = Omit<Selectable<RendersTable>, 'request'> & {
  /** A video's request. */
  readonly video: string | null;
};

/** A render as it stands on record. */
export function renderOf(row: ReadRender): Render {
  return {
    id: row.id,
    job: row.job,
    part: row.part,
    parts: row.parts,
    ...kindOf(row),
    state: row.state,
    conversationId: row.conversation_id,
    message: JSON.parse(row.message) as MessageAddress,
    taskId: row.task_id ?? undefined,
    result: row.result === null ? undefined : (JSON.parse(row.result) as RenderResult),
    fault: row.fault === null ? undefined : (JSON.parse(row.fault) as RenderFault),
    delivered: row.delivered === null ? undefined : (JSON.parse(row.delivered) as MessageAddress),
    createdAt: row.created_at,
    waited: row.waited_ms,
    unanswered: row.unanswered_ms,
    attempts: row.attempts,
    isInHand: row.process !== null,
  };
}

function kindOf({ kind, video }: ReadRender) {
  if (kind === 'image') return { kind };
  const { seed }: Pick<VideoRequest, 'seed'> = JSON.parse(video ?? '{}');
  return { kind, seed };
}
