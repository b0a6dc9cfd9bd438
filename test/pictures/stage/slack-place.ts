import type { Locale } from '../../../src/port/index.ts';
import { passUntil } from '../../fakes/calm.ts';
import type { FakeClock } from '../../fakes/clock.ts';
import {
  type Channel,
  type Ephemeral,
  type FakePerson,
  type FakeSlack,
  type Message,
  shown,
  type Workspace,
} from '../../fakes/slack/index.ts';
import type { Panel } from '../draw/page.ts';
import { drawSlackChannel, drawSlackView } from '../draw/slack.ts';
import type { Bot } from './bot.ts';
import { people } from './people.ts';
import { Place } from './place.ts';
import type { Texts } from './scene.ts';

/** A channel of its own for one scene in one language, with two people. */
export class SlackPlace extends Place {
  readonly slack: FakeSlack;
  readonly workspace: Workspace;
  readonly channel: Channel;
  readonly ada: FakePerson;
  readonly ben: FakePerson;
  readonly #jumping: FakeClock | undefined;

  constructor(bot: Bot, locale: Locale) {
    super(bot, locale);
    const { slack, workspace } = bot;
    this.slack = slack;
    this.workspace = workspace;
    this.#jumping = bot.jumping;
    const names = people[locale];
    const person = (name: string) =>
      slack.person(workspace, { name, locale: locale === 'en' ? 'en-US' : locale });
    this.ada = person(names.ada);
    this.ben = person(names.ben);
    this.channel = slack.channel(workspace, names.channel, [this.ada, this.ben]);
  }

  /** What the bot says to everybody in a channel, oldest first. */
  said(channel = this.channel): readonly Message[] {
    return [...channel.messages.values()].filter(({ byApp }) => byApp);
  }

  /** Waits until something is there. */
  async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    let found: T | undefined | false;
    const isFound = () => {
      found = look();
      return found !== undefined && found !== false;
    };
    if (this.#jumping) await passUntil(this.#jumping, isFound);
    else
      for (let looks = 0; looks < 3_000 && !isFound(); looks++)
        await new Promise((resolve) => setTimeout(resolve, 10));
    if (found !== undefined && found !== false) return found;
    const said = [...this.said(), ...this.ada.whispers, ...this.ben.whispers];
    throw new Error(`waited in vain for ${what}; said: ${said.map((one) => shownOf(one)).join(' | ')}`);
  }

  /** Waits for a message with a button of this label. */
  async withButton(label: string, channel = this.channel): Promise<Message> {
    const has = ({ blocks }: Message) => JSON.stringify(blocks).includes(`"text":"${label}"`);
    return this.until(`a button ${label}`, () => this.said(channel).findLast(has));
  }

  /** Waits for an image: its announcement goes once that is there. */
  async drawn(channel = this.channel): Promise<void> {
    await this.withButton(this.words.again(1), channel);
    const isAnnounced = (message: Message) => shownOf(message).includes(this.words.drawing);
    await this.until('an image alone', () => !this.said(channel).some(isAnnounced));
  }

  /** Waits until so many answers are finished; returns the last. */
  async finished(count = 1, channel = this.channel): Promise<Message> {
    const done = `"text":"${this.words.regenerate}"`;
    return this.until(
      `${count} answers`,
      () => this.said(channel).filter(({ blocks }) => JSON.stringify(blocks).includes(done))[count - 1],
    );
  }

  /** Waits for the form on somebody's screen. */
  async form(
    caption: Texts,
    person: FakePerson,
    entered?: Readonly<Record<string, unknown>>,
  ): Promise<Panel> {
    const view = await this.until('a form', () => person.form);
    const viewer = { person, locale: this.locale };
    return { caption: this.in(caption), drawn: drawSlackView(viewer, view, entered) };
  }

  /** What somebody sees in a channel; all of it where no messages are given. */
  look(
    caption: Texts,
    options: {
      readonly as?: FakePerson;
      readonly channel?: Channel;
      readonly messages?: readonly Message[];
    } = {},
  ): Panel {
    const { as: person = this.ada, channel = this.channel, messages } = options;
    return {
      caption: this.in(caption),
      drawn: drawSlackChannel({ person, locale: this.locale }, channel, messages),
    };
  }
}

const shownOf = (one: Message | Ephemeral): string => ('via' in one ? one.text : shown(one)).slice(0, 200);
