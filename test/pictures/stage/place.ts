import type { Locale } from '../../../src/port/index.ts';
import { words } from '../../../src/words/index.ts';
import type { Bot } from './bot.ts';
import type { Texts } from './scene.ts';

/** Where a scene plays in one language, whatever the platform. */
export class Place {
  /** Changes the sandbox. */
  protected readonly sandbox: Bot['sandbox'];
  readonly locale: Locale;

  constructor(bot: Bot, locale: Locale) {
    this.sandbox = bot.sandbox;
    this.locale = locale;
  }

  /** What the bot itself says in this place's language. */
  get words() {
    return words(this.locale);
  }

  /** The text in this place's language. */
  in<T>(texts: Texts<T>): T {
    return texts[this.locale];
  }

  /** Sets what the model answers next. */
  async answers(...texts: readonly Texts[]): Promise<void> {
    await this.sandbox({ answers: texts.map((text) => this.in(text)) });
  }

  /** Sets how fast the model writes: at reading speed, or at once. */
  async pace(pace: 'human' | 'instant'): Promise<void> {
    await this.sandbox({ pace });
  }
}
