import type { Budget } from '../../src/credits/index.ts';
import type { PlaceSettings, Source } from '../../src/place-settings/index.ts';
import type { Asker } from '../../src/port/index.ts';

/** Where a person's spending counts: where their budget was set, and everywhere where nobody here has set one. */
const within: Readonly<Record<Source, Budget['within']>> = {
  channel: 'channel',
  workspace: 'workspace',
  environment: 'platform',
};

/** The budgets that the settings of places make; 0 is none. */
export function budgetsOf(places: PlaceSettings): (asker: Asker) => Promise<readonly Budget[]> {
  return async ({ address, requester }) => {
    const { values, sources } = await places.at(address);
    if (values.exempt_administrators && requester.administrator) return [];
    const timeZone = values.time_zone;
    const budgets: readonly Budget[] = [
      { of: 'user', within: within[sources.user_credits], credits: values.user_credits, timeZone },
      { of: 'channel', within: 'channel', credits: values.channel_credits, timeZone },
      { of: 'workspace', within: 'workspace', credits: values.workspace_credits, timeZone },
    ];
    return budgets.filter(({ credits }) => credits > 0);
  };
}
