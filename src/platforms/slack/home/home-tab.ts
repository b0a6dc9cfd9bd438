import { createHash } from 'node:crypto';
import type { types } from '@slack/bolt';
import type { Coordination } from '../../../coordination/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, SharedRuns } from '../../../lib/clock.ts';
import type { Address, HomeButton, HomePage, HomeSection, RawValues } from '../../../port/index.ts';
import { isFeatureMissing, slackCode } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { buttonBlocks } from '../markup/blocks.ts';
import { plainText } from '../markup/mrkdwn.ts';
import { maxViewBlocks, sectionsOf, type ViewPlace } from '../markup/sections.ts';
import type { People } from '../people/people.ts';
import { slackAddress } from '../post/address.ts';
import { lackedHomeTab } from '../setup/manifest.ts';

/** Of how many people, or workspaces, it's remembered what their tab shows, and for how long, in milliseconds. */
const remembered = 2_000;
const lifetime = 12 * 3_600_000;

/** How long it's remembered that a workspace's app has no such tab, in milliseconds: it's turned on where the log says so. */
const offFor = 10 * 60_000;

/** Tells the other processes that one has shown somebody a new tab. */
const published = 'slack-home-published';

interface HomeTabDependencies {
  readonly api: SlackApi;
  readonly people: People;
  readonly page: HomePage;
  readonly inSlackStyle: (text: string) => string;
  readonly coordination: Pick<Coordination, 'process' | 'signals'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What somebody's tab shows. */
interface Shown {
  /** Of the content, as sent. */
  readonly digest: string;
  /** Slack's own, of the view's state. */
  readonly hash: string;
}

/**
 * The app's Home tab: each person's own page, made when they open it and when a button in it has changed something.
 * What's shown already isn't sent again.
 */
export class HomeTab {
  readonly #dependencies: HomeTabDependencies;
  readonly #shown: BoundedMap<string, Shown>;
  /** Workspaces whose app has none. */
  readonly #off: BoundedMap<string, true>;
  /** A tab is made once at a time, for all who ask meanwhile once more after that. */
  readonly #runs = new SharedRuns<void>();

  constructor(dependencies: HomeTabDependencies) {
    this.#dependencies = dependencies;
    const { clock, coordination } = dependencies;
    this.#shown = new BoundedMap({ most: remembered, lifetime: { milliseconds: lifetime, clock } });
    this.#off = new BoundedMap({ most: remembered, lifetime: { milliseconds: offFor, clock } });
    coordination.signals.on(published, (text) => {
      const { process, key } = JSON.parse(text) as { readonly process: string; readonly key: string };
      if (process !== coordination.process) this.#shown.delete(key);
    });
  }

  /** Somebody opened it; `hash` is that of the view they see, if there is one. */
  async opened(place: ViewPlace, user: string, hash: string | undefined): Promise<void> {
    const key = keyOf(place, user);
    // Somebody else's hand in it, or nothing at all: what's remembered isn't what they see.
    if (this.#shown.get(key)?.hash !== hash) this.#shown.delete(key);
    await this.refresh(place, user);
  }

  /** Shows what has changed since. */
  refresh(place: ViewPlace, user: string): Promise<void> {
    const key = keyOf(place, user);
    return this.#runs.run(key, () => this.#show(place, user, key));
  }

  async #show(place: ViewPlace, user: string, key: string): Promise<void> {
    const { api, people, page, inSlackStyle, log } = this.#dependencies;
    const { workspace } = place;
    if (this.#off.has(workspace)) return;
    const requester = await people.find(workspace, user);
    const view = homeView(await page({ address: homeAddress(place), requester }), place, inSlackStyle);
    const digest = createHash('sha256').update(JSON.stringify(view)).digest('base64url');
    const shown = this.#shown.get(key);
    if (shown?.digest === digest) return;
    const publish = (hash: string | undefined) =>
      api.call(workspace, 'views.publish', { user_id: user, view, ...(hash !== undefined && { hash }) });
    try {
      const answer = await publish(shown?.hash).catch((error: unknown) => {
        // Another process was there first; what this one read is at least as new.
        if (slackCode(error) !== 'hash_conflict') throw error;
        return publish(undefined);
      });
      const { hash } = (answer.view ?? {}) as { readonly hash?: string };
      if (hash !== undefined) this.#shown.set(key, { digest, hash });
      // What the others remember isn’t what this person sees any more.
      const { process, signals } = this.#dependencies.coordination;
      await signals.send(published, JSON.stringify({ process, key })).catch(() => undefined);
    } catch (error) {
      if (!isFeatureMissing(error)) throw error;
      this.#off.set(workspace, true);
      log.warn({ workspace }, `the app has no Home tab: ${lackedHomeTab}`);
    }
  }
}

function keyOf({ workspace }: ViewPlace, user: string): string {
  return `${workspace} ${user}`;
}

/** Longest header (Block Kit). */
const maxHeader = 150;
/** What the ids of buttons that run a command begin with; those of actions are `actionId`s. */
const callPrefix = 'home:';

/** The Home tab as an address. */
export function homeAddress({ workspace, channel }: ViewPlace): Address {
  return { ...slackAddress(workspace, channel), isHome: true };
}

/** A person's own page as their Home tab. */
function homeView(
  sections: readonly HomeSection[],
  place: ViewPlace,
  inSlackStyle: (text: string) => string,
): types.HomeView {
  const blocks = sections.flatMap(({ title, text, buttons = [] }): types.KnownBlock[] => [
    { type: 'header', text: plainText(title, maxHeader) },
    ...sectionsOf(inSlackStyle(text)),
    ...(buttons.length > 0 ? [buttonRow(buttons)] : []),
  ]);
  return { type: 'home', private_metadata: JSON.stringify(place), blocks: blocks.slice(0, maxViewBlocks) };
}

function buttonRow(buttons: readonly HomeButton[]): types.KnownBlock {
  return {
    type: 'actions',
    elements: buttons.flatMap(({ call, ...button }) =>
      buttonBlocks([call ? { ...button, id: `${callPrefix}${button.id}` } : button]).flatMap(({ elements }) =>
        elements.map((element) => (call ? { ...element, value: JSON.stringify(call) } : element)),
      ),
    ),
  };
}

/** The command that a pressed button of a page runs; undefined for a button of another kind. */
export function callOf({
  action_id: id,
  value,
}: types.Button): { readonly command: string; readonly options: RawValues } | undefined {
  return id?.startsWith(callPrefix) && value !== undefined ? JSON.parse(value) : undefined;
}

/** Where a view of ours says that its answers go; undefined for others. */
export function placeOf(metadata: string): ViewPlace | undefined {
  try {
    const { workspace, channel } = JSON.parse(metadata);
    return typeof workspace === 'string' && typeof channel === 'string' ? { workspace, channel } : undefined;
  } catch {
    return undefined;
  }
}
