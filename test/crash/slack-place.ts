import { commands } from '../../commands/index.ts';
import { slackManifest } from '../../src/platforms/slack/setup/manifest.ts';
import { words } from '../../src/words/index.ts';
import {
  type FakePerson,
  FakeSlack,
  type FakeSlackOptions,
  type Json,
  type Message,
  shown,
} from '../fakes/slack/index.ts';
import {
  askers,
  type CrashPlace,
  type Fate,
  fateOf,
  isUnfinished,
  labelsIn,
  localeOf,
  type Shown,
  type Wish,
} from './place.ts';
import { stepsOf } from './steps.ts';

const { stop } = words('en');

export interface SlackPlaceOptions extends Pick<FakeSlackOptions, 'clock' | 'waitsFor'> {
  /** Every other question is a direct message, whose answer is one of Slack's own streams. */
  readonly asksDirectly?: boolean;
}

/** What can be looked at besides. */
export interface SlackPlace extends CrashPlace {
  readonly slack: FakeSlack;
}

/** Slack's test server with the bot in a workspace, and somebody who types there. */
export async function createSlackPlace({
  asksDirectly = false,
  ...options
}: SlackPlaceOptions = {}): Promise<SlackPlace> {
  const slack = await FakeSlack.start({
    ...options,
    manifest: slackManifest(commands, { prefix: '' }) as unknown as Json,
  });
  const workspace = slack.addWorkspace('acme');
  const { token } = slack.install(workspace);
  const ada = slack.person(workspace, { name: 'ada' });
  const channel = slack.channel(workspace, 'general', [ada]);

  const byBot = () =>
    [...workspace.channels.values()]
      .flatMap(({ messages }) => [...messages.values()])
      .filter(({ byApp, tombstone }) => byApp && !tombstone);
  let asked = 0;
  const people = new Map<string, FakePerson>([[ada.user.name, ada]]);
  for (const by of askers.filter((name) => !people.has(name))) {
    const person = slack.person(workspace, { name: by, locale: localeOf({ by }) });
    channel.members.add(person.user.id);
    people.set(by, person);
  }
  /** Somebody of their own for each wish that is told apart: not every answer repeats what was asked. */
  const personOf = (wish: Wish): FakePerson => {
    const name = nameOf(wish);
    const person = people.get(name) ?? slack.person(workspace, { name });
    if (!people.has(name)) channel.members.add(person.user.id);
    people.set(name, person);
    return person;
  };
  /** What a message says; a clip's file stands by itself, and its words are in its description. */
  const words = (message: Message) =>
    [shown(message), ...message.files.map((id) => workspace.files.get(id)?.altText)].join(' ');
  const isAbout = (wish: Wish) => (message: Message) => {
    const { messages } = workspace.channels.get(message.channel) ?? channel;
    const root = message.threadTs === undefined ? undefined : messages.get(message.threadTs);
    const names = [wish.prompt, ...(wish.about === undefined ? [] : [wish.about])];
    return [message, ...(root ? [root] : [])].some((one) => names.some((name) => words(one).includes(name)));
  };
  /** Films are files of a message, pictures are among its words. */
  const mediaIn = ({ files, blocks }: Message) =>
    files.filter((id) => /^(?:audio|video)\//.test(workspace.files.get(id)?.mimetype ?? '')).length +
    blocks.filter(({ type }) => type === 'image').length;

  const shownOf = (message: Message): Shown => ({ text: shown(message), media: mediaIn(message) });
  const notTaken = new Set<Wish>();

  return {
    name: 'slack',
    slack,
    environment: {
      SLACK_BOT_TOKEN: token,
      SLACK_APP_TOKEN: slack.credentials.appToken,
      SLACK_API_URL: slack.apiUrl,
    },
    steps: [
      ...stepsOf('message posted', /^POST \/api\/chat\.postMessage$/),
      ...stepsOf('message updated', /^POST \/api\/chat\.update$/),
      ...stepsOf('stream begun', /^POST \/api\/chat\.startStream$/),
      ...stepsOf('stream ended', /^POST \/api\/chat\.stopStream$/),
      ...stepsOf('upload begun', /^POST \/api\/files\.getUploadURLExternal$/),
      ...stepsOf('upload completed', /^POST \/api\/files\.completeUploadExternal$/),
      ...stepsOf('share confirmed', /^POST \/api\/files\.info$/),
    ],
    ready: async () => {},
    give: (wish) => {
      if (asksDirectly && wish.command === 'ask' && asked++ % 2 === 1) {
        const person = personOf(wish);
        person.says(wish.prompt, person.directMessages);
        return;
      }
      // A process that dies before it acknowledges leaves Slack without an answer; Slack tells the person.
      personOf(wish)
        .types(`/${wish.command} ${wish.prompt}`, channel)
        .then(
          ({ acknowledged }) => {
            if (!acknowledged.ok) notTaken.add(wish);
          },
          () => notTaken.add(wish),
        );
    },
    notTaken: (wish) => notTaken.has(wish),
    dropSockets: () => {
      for (let index = slack.sockets.connected - 1; index >= 0; index--) slack.sockets.drop(index);
    },
    port: Number(new URL(slack.apiUrl).port),
    fate: (wish): Fate => {
      const told = personOf(wish).whispers.filter(
        ({ text }) => wish.about !== undefined || text.includes(wish.prompt),
      );
      const ends = told.filter(({ text }) => text.includes('⚠️'));
      const about = byBot().filter(isAbout(wish)).map(shownOf);
      const whispers = ends.map(({ text }) => ({ text, media: 0 }));
      // A refusal is one sentence; a word about the wait for what comes after it is none.
      const begun = about.length > 0 || ends.length > 0;
      return fateOf(wish, [...about, ...whispers], byBot().map(shownOf), !begun && told.length > 0 ? 1 : 0);
    },
    hanging: () => [
      ...byBot()
        .filter((message) => JSON.stringify(message.blocks).includes(`"text":"${stop}"`))
        .map((message) => `an answer that can still be stopped: ${shown(message).slice(-80)}`),
      ...byBot()
        .filter(({ stream }) => stream?.state === 'streaming')
        .map((message) => `a stream that goes on: ${shown(message).slice(-80)}`),
      ...[...slack.world.sessions]
        .filter(([, { status }]) => status === 'processing')
        .map(([place]) => `a session at work: ${place}`),
      ...byBot()
        .filter((message) => isUnfinished(shown(message)))
        .map((message) => `a message that still says: ${shown(message).slice(-80)}`),
    ],
    texts: () => [
      ...byBot().map(shown),
      ...[...people.values()].flatMap(({ whispers }) => whispers.map(({ text }) => text)),
    ],
    posted: () => [
      ...byBot().map((message) => ({ text: shown(message), buttons: labelsIn(message.blocks) })),
      ...[...people.values()].flatMap(({ whispers }) =>
        whispers.map(({ text, blocks }) => ({ text, buttons: labelsIn(blocks) })),
      ),
    ],
    close: () => slack.stop(),
  };
}

/** The name of the person who gives a wish. */
const nameOf = ({ about, by = 'ada' }: Wish): string => about ?? by;
