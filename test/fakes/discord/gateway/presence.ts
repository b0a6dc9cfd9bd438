import { ActivityType, PresenceUpdateStatus } from 'discord-api-types/v10';
import { type Fields, isFields } from '../http/fields.ts';

/** Characters of an activity's name and state. */
const maxActivityText = 128;

/** Whether a presence has its four fields as Discord describes them (events/gateway-events, update presence). */
export function isPresence(value: unknown): value is Fields {
  if (!isFields(value)) return false;
  const { since, status, afk, activities } = value;
  return (
    (since === null || Number.isInteger(since)) &&
    (Object.values(PresenceUpdateStatus) as unknown[]).includes(status) &&
    typeof afk === 'boolean' &&
    Array.isArray(activities) &&
    activities.every(isActivity)
  );
}

/** What a bot can set of an activity (events/gateway-events, activity structure). */
function isActivity(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { name, type, state, url } = value;
  return (
    isText(name, 1) &&
    typeof type === 'number' &&
    ActivityType[type] !== undefined &&
    (state === undefined || state === null || isText(state, 0)) &&
    (url === undefined || url === null || typeof url === 'string')
  );
}

function isText(value: unknown, least: number): boolean {
  return typeof value === 'string' && value.length >= least && value.length <= maxActivityText;
}
