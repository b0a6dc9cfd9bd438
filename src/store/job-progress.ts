import { sql } from 'kysely';
import { paidCommandNames, type Place } from '../port/index.ts';
import type { Database } from './database.ts';
import { hasTexts } from './driver.ts';

/** Whether images or a video that come of a job are to be made, or being made. */
const isBeingMade = sql<boolean>`exists (select 1 from renders
  where renders.job = jobs.id and renders.state in ('reserved', 'submitting', 'waiting'))`;

/** Whether some are made and not posted yet. */
const isReady = sql<boolean>`exists (select 1 from renders
  where renders.job = jobs.id and renders.state = 'ready' and renders.delivered is null)`;

/** 1 if all that a job is to bring of images and videos is made and only waits to be posted, or else 0. */
export const isMade = sql<number>`case when jobs.state <> 'running' and ${isReady} and not ${isBeingMade} then 1 else 0 end`;

/** 1 if what a job has made could be posted nowhere, and waits to be fetched or tried again, or else 0. */
export const isHeld = sql<number>`case when jobs.state <> 'running' and (
  exists (select 1 from deliveries where deliveries.job_id = jobs.id and deliveries.held = 1)
  or (${isReady} and not ${isBeingMade} and not exists (select 1 from renders
    where renders.job = jobs.id and renders.delivered is null and renders.process is not null))) then 1 else 0 end`;

/** Whether all that comes of a job is posted: nothing of it is still made, waits, or is held. */
export const isPosted = sql<boolean>`(
  not exists (select 1 from renders where renders.job = jobs.id and renders.delivered is null)
  and not exists (select 1 from deliveries where deliveries.job_id = jobs.id))`;

/** Whether a job runs, or images, a video, an answer or a clip that comes of it isn't posted yet, or waits to be fetched. */
export const underWay = sql<boolean>`(
  jobs.state = 'running'
  or ${isBeingMade}
  or ${isReady}
  or exists (select 1 from deliveries where deliveries.job_id = jobs.id))`;

/** A command of a place, and whether nothing more comes of it. */
export interface GivenCommand {
  readonly id: string;
  readonly createdAt: number;
  readonly isOver: boolean;
}

/** 1 if nothing more comes of a job, or else 0. */
const isOver = sql<number>`case when jobs.state in ('done', 'failed') and not ${underWay} then 1 else 0 end`;

const isPrivate = '"private":true';

/** A job without what it was given; what was private stays that. In what people wrote the quotation marks are escaped. */
export const nothingGiven = {
  options: sql<string>`case when options like ${`%${isPrivate}%`} then ${`{${isPrivate}}`} else '{}' end`,
  instead: null,
};

/** The paid commands that were given in a server or workspace after a moment, oldest first, or those of them that are named. */
export async function commandsIn(
  database: Database,
  { platform, workspace }: Place,
  which: { readonly after: number; readonly most: number } | { readonly ids: readonly string[] },
): Promise<readonly GivenCommand[]> {
  if ('ids' in which && which.ids.length === 0) return [];
  const rows = await database
    .selectFrom('jobs')
    .select(['id', 'created_at', isOver.as('over')])
    .where(hasTexts('address', { workspace, platform }))
    .where('command', 'in', paidCommandNames)
    .$call((jobs) =>
      'ids' in which
        ? jobs.where('id', 'in', which.ids)
        : jobs.where('created_at', '>', which.after).limit(which.most),
    )
    .orderBy('created_at')
    .execute();
  return rows.map(({ id, created_at, over }) => ({
    ...{ id, createdAt: Number(created_at) },
    isOver: Number(over) === 1,
  }));
}
