import { words } from '../../src/words/index.ts';
import { type AnswerFate, judgeAnswer, questionOf } from './answers.ts';
import { BotProcess } from './bot-process.ts';
import { askers, type CrashPlace, type Wish } from './place.ts';
import { seededRandom } from './random.ts';
import { type Records, records } from './records.ts';
import { CountingService } from './service.ts';
import { serviceSteps, type Step, Watch } from './steps.ts';

export interface CrashOptions {
  readonly place: CrashPlace;
  readonly rounds: number;
  /** The first round, to see one again without those before it; 1 where absent. */
  readonly from?: number;
  /** No round is begun after so long, in milliseconds. */
  readonly limit?: number;
  /** Names of the steps to kill at, one a round; every step in turn, and random times between, where absent. */
  readonly steps?: readonly string[];
  /** SQLite where absent. */
  readonly database?: keyof typeof records;
  /**
   * How many processes the bot has, with PostgreSQL; 1 where absent. One of several is killed, and what it had is over
   * before another is started. In every fourth round the database is killed and started as well.
   */
  readonly processes?: number;
  /** It is stopped as an operator would (SIGTERM), not killed. */
  readonly gently?: boolean;
  /** The same seed kills at the same steps, and at random times drawn alike. */
  readonly seed: number;
  readonly onFault?: (fault: string) => void;
  readonly onRound?: (round: number, step: string) => void;
}

/** What the rounds have shown. What is wrong is in `faults`, in words. */
export interface CrashReport {
  rounds: number;
  kills: number;
  rendersAskedFor: number;
  paidSubmissions: number;
  deliveredOnce: number;
  uncertain: number;
  told: number;
  /** Never acknowledged before the kill: the platform itself told the person. */
  neverTaken: number;
  answersAskedFor: number;
  /** What people are left with of them. */
  answersWhole: number;
  answersCut: number;
  answersTold: number;
  turnsKept: number;
  /** Answered to the end, and not in the conversation afterwards. */
  turnsLost: number;
  faults: string[];
  /** What the bot said in the rounds with faults. */
  logs: string[];
}

/** A round's end must come within so long after the restart, in milliseconds. */
const patience = 120_000;

/** A process that goes on with what was left has done so within so long, in milliseconds. */
const longestRecovery = 4_000;

/** What people read where the database is away, in their languages. */
const noDatabase = (['en', 'zh-CN'] as const).map((locale) => words(locale).errors.database);

/** Kills the bot again and again in the middle of its work, and looks at what people are left with. */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const database = await records[options.database ?? 'sqlite']();
  // Slow enough that answers are being written when it dies.
  const service = new CountingService(700, 4);
  try {
    return await new Crash(options, service, database).run();
  } finally {
    await service.close();
    await options.place.close();
    await database.close();
  }
}

class Crash {
  readonly #options: CrashOptions;
  readonly #service: CountingService;
  readonly #records: Records;
  readonly #watch = new Watch();
  readonly #random: () => number;
  readonly #wishes: Wish[] = [];
  readonly #hung = new Set<string>();
  readonly #toldUnnamed = new Set<Wish>();
  /** The turns of each conversation in the order in which they had begun, as each kill left them. */
  readonly #begun: (readonly Turn[])[] = [];
  #environment: Record<string, string> = {};
  readonly #bots: BotProcess[] = [];
  readonly #report: CrashReport = {
    rounds: 0,
    kills: 0,
    rendersAskedFor: 0,
    paidSubmissions: 0,
    deliveredOnce: 0,
    uncertain: 0,
    told: 0,
    neverTaken: 0,
    answersAskedFor: 0,
    answersWhole: 0,
    answersCut: 0,
    answersTold: 0,
    turnsKept: 0,
    turnsLost: 0,
    faults: [],
    logs: [],
  };

  constructor(options: CrashOptions, service: CountingService, database: Records) {
    this.#options = options;
    this.#service = service;
    this.#records = database;
    this.#random = seededRandom(options.seed);
  }

  async run(): Promise<CrashReport> {
    const { place, rounds, processes = 1, from = 1, limit = Number.POSITIVE_INFINITY } = this.#options;
    const until = performance.now() + limit;
    for (let round = 1; round < from; round++) if (!this.#stepOf(round)) this.#random();
    const { url, key } = await this.#service.start();
    this.#environment = {
      ...place.environment,
      SERVICE_BASE_URL: url,
      SERVICE_API_KEY: key,
      DATABASE_URL: this.#records.url,
      HISTORY_TOKENS: '1000000',
      CONFIRM_OVER_CREDITS: '1000000',
      RENDERS_PER_PERSON: '1000',
      PORT: '0',
    };
    try {
      await this.#start(processes);
      for (let round = from; round <= rounds && performance.now() < until; round++) {
        await this.#round(round);
        await this.#start(processes);
      }
    } finally {
      await Promise.all(this.#bots.map((bot) => bot.kill()));
    }
    await this.#countTurns();
    // Later rounds must not have changed what earlier ones ended with.
    for (const wish of this.#wishes)
      if (wish.command === 'ask') await this.#judgeAnswer(wish, (text) => this.#fault(`in the end: ${text}`));
    return this.#report;
  }

  /** Starts processes until there are so many. */
  async #start(count: number): Promise<void> {
    const more = Array.from({ length: count - this.#bots.length }, () => BotProcess.start(this.#environment));
    this.#bots.push(...(await Promise.all(more)));
  }

  /** Commands, a kill in the middle, a restart or a takeover, and a look at what became of them. */
  async #round(round: number): Promise<void> {
    const step = this.#stepOf(round);
    this.#options.onRound?.(round, step?.name ?? 'at random');
    const wishes = this.#wishesOf(round);
    const killed = this.#killAt(round, step);
    await this.#options.place.ready();
    for (const wish of wishes) this.#options.place.give(wish);
    await killed;
    const inDoubt = await this.#submitting();
    this.#begun.push(...(await this.#histories()));
    for (const prompt of await this.#dieAgain(round)) inDoubt.add(prompt);
    await this.#start(1);
    await this.#settled(wishes);
    const before = this.#report.faults.length;
    await this.#judge(round, step, wishes, inDoubt);
    for (const { ended } of this.#bots)
      if (ended !== undefined) this.#fault(`a process ended by itself: ${ended}`);
    if (this.#report.faults.length > before) this.#report.logs.push(...this.#bots.map(({ log }) => log));
  }

  /** Every named step in turn; a third of the rounds at random. */
  #stepOf(round: number): Step | undefined {
    const steps = [...this.#options.place.steps, ...serviceSteps];
    const { steps: wanted } = this.#options;
    if (wanted) return steps.find(({ name }) => name === wanted[(round - 1) % wanted.length]);
    if (round % 3 === 0) return undefined;
    return steps[(round - 1 - Math.floor(round / 3)) % steps.length];
  }

  #wishesOf(round: number): readonly Wish[] {
    const wishes: Wish[] = [
      { command: 'video', prompt: `crash video ${round} v` },
      { command: 'ask', ...questionOf(`crash question ${round} first`, `r${round}a`, 300) },
      { command: 'imagine', prompt: `crash image ${round} i` },
      // By the same of Slack's two sockets as the first: what comes at one moment over both has no order.
      { command: 'ask', ...questionOf(`crash question ${round} second`, `r${round}b`, 60) },
      { command: 'ask', by: 'wei', ...questionOf(`crash question ${round} beside`, `r${round}c`, 200) },
    ];
    this.#wishes.push(...wishes);
    return wishes;
  }

  /** Kills at the step, or at a random time. */
  async #killAt(round: number, step: Step | undefined): Promise<void> {
    const { promise: moment, resolve } = Promise.withResolvers<void>();
    if (step) this.#watch.at(step, resolve);
    // A step that this round does not come to is a kill in the middle of whatever there is.
    const timer = setTimeout(resolve, step ? 8_000 : 300 + this.#random() * 4_000);
    await moment;
    const ended = this.#end(this.#victim());
    const isOutage = this.#bots.length > 0 && round % 4 === 0;
    const restarted = isOutage ? this.#records.restart?.() : undefined;
    clearTimeout(timer);
    this.#watch.forget();
    await ended;
    await restarted;
    this.#report.kills++;
  }

  /**
   * Every other round: whoever goes on with what was left dies as well, up to three times, at steps of its own.
   * @returns the prompts of what was being sent then
   */
  async #dieAgain(round: number): Promise<readonly string[]> {
    const inDoubt: string[] = [];
    if (this.#bots.length > 0 || this.#options.gently || round % 2 === 0) return inDoubt;
    const { steps } = this.#options.place;
    for (let deaths = 1 + Math.floor(this.#random() * 3); deaths > 0; deaths--) {
      const step = steps[Math.floor(this.#random() * steps.length)];
      const dies = new AbortController();
      const patient = setTimeout(() => dies.abort(), longestRecovery);
      if (step) this.#watch.at(step, () => dies.abort());
      const bot = await BotProcess.start(this.#environment, [], { dies: dies.signal }).catch(() => undefined);
      if (!dies.signal.aborted)
        await new Promise((resolve) => dies.signal.addEventListener('abort', resolve));
      await bot?.kill();
      clearTimeout(patient);
      this.#watch.forget();
      this.#report.kills++;
      inDoubt.push(...(await this.#submitting()));
    }
    return inDoubt;
  }

  /** One of the processes, which is none of them any more. */
  #victim(): BotProcess {
    const index = this.#bots.length > 1 ? Math.floor(this.#random() * this.#bots.length) : 0;
    const [bot] = this.#bots.splice(index, 1);
    if (!bot) throw new Error('no process is left');
    return bot;
  }

  async #end(bot: BotProcess): Promise<void> {
    if (!this.#options.gently) return bot.kill();
    const status = await bot.stop();
    if (status === 0) return;
    this.#fault(`it was stopped and ended with ${status}`);
    this.#report.logs.push(bot.log);
  }

  async #settled(wishes: readonly Wish[]): Promise<void> {
    const { place } = this.#options;
    const until = Date.now() + patience;
    const isOver = async () => {
      if (!place.hanging().every((hanging) => this.#hung.has(hanging))) return false;
      const over = await Promise.all(wishes.map((wish) => this.#isOver(wish)));
      const open = wishes.filter((_, index) => !over[index]);
      // What was paid for isn't what somebody was told can't be saved.
      if (open.some(({ prompt }) => this.#service.made.has(prompt))) return false;
      if (open.length > this.#unnamed) return false;
      return (
        this.#bots.length === 0 || this.#options.processes === undefined || (await this.#isNothingOpen())
      );
    };
    while (!(await isOver()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** What hangs since this round; it is told once. */
  #newlyHanging(): readonly string[] {
    const hanging = this.#options.place.hanging().filter((one) => !this.#hung.has(one));
    for (const one of hanging) this.#hung.add(one);
    return hanging;
  }

  /** Several processes: a living one is waited for, and what a dead one had must not be left open. */
  async #isNothingOpen(): Promise<boolean> {
    return (await this.#records.rows("select 1 from jobs where state = 'running'")).length === 0;
  }

  async #isOver(wish: Wish): Promise<boolean> {
    if (!(await this.#isOnRecord(wish))) return true;
    if (wish.command === 'ask') {
      const { fate, faults } = judgeAnswer(wish, this.#options.place.posted());
      return fate !== 'nothing' && faults.length === 0;
    }
    const { delivered, uncertain, told } = this.#options.place.fate(wish);
    return delivered + uncertain + told > 0;
  }

  async #judge(
    round: number,
    step: Step | undefined,
    wishes: readonly Wish[],
    inDoubt: ReadonlySet<string>,
  ): Promise<void> {
    const { place } = this.#options;
    const report = this.#report;
    const fault = (text: string) => this.#fault(`round ${round} (${step?.name ?? 'at random'}): ${text}`);
    report.rounds++;
    for (const hanging of this.#newlyHanging()) fault(hanging);
    if (this.#options.processes !== undefined && !(await this.#isNothingOpen()))
      fault('a command is still open');
    for (const wish of wishes) {
      if (wish.command === 'ask') {
        const fate = await this.#judgeAnswer(wish, fault);
        report.answersAskedFor++;
        if (fate === 'whole') report.answersWhole++;
        if (fate === 'cut') report.answersCut++;
        if (fate === 'told') report.answersTold++;
        continue;
      }
      report.rendersAskedFor++;
      const paid = this.#service.made.get(wish.prompt) ?? 0;
      const { delivered, uncertain, told } = place.fate(wish);
      report.paidSubmissions += paid;
      if (paid > 1) fault(`${wish.prompt} was paid for ${paid} times`);
      if (delivered > 1) fault(`${wish.prompt} was delivered ${delivered} times`);
      if (uncertain > 0 && !inDoubt.has(wish.prompt)) fault(`${wish.prompt} is uncertain without need`);
      if (paid === 1 && delivered + uncertain === 0) fault(`${wish.prompt} was paid for and never delivered`);
      if (delivered === 1) report.deliveredOnce++;
      else if (uncertain > 0) report.uncertain++;
      else if (told > 0) report.told++;
      else if (!(await this.#isOnRecord(wish))) report.neverTaken++;
      else if (this.#isToldUnnamed(wish)) report.told++;
      else fault(`nobody heard what became of ${wish.prompt}`);
    }
  }

  async #judgeAnswer(wish: Wish, fault: (text: string) => void): Promise<AnswerFate> {
    const { fate, faults } = judgeAnswer(wish, this.#options.place.posted());
    const about = wish.prompt.slice(0, 40);
    for (const text of faults) fault(`${about}: ${text}`);
    if (fate !== 'nothing' || !(await this.#isOnRecord(wish))) return fate;
    if (this.#isToldUnnamed(wish)) return 'told';
    fault(`nobody heard what became of ${about}`);
    return fate;
  }

  /** How many are told that nothing can be saved, in a sentence that doesn't say of which command; one is for one wish. */
  get #unnamed(): number {
    const isNamed = (text: string) => this.#wishes.some(({ prompt }) => text.includes(prompt.slice(0, 40)));
    const told = this.#options.place
      .texts()
      .filter((text) => noDatabase.some((sentence) => text.includes(sentence)) && !isNamed(text));
    return told.length - this.#toldUnnamed.size;
  }

  #isToldUnnamed(wish: Wish): boolean {
    if (this.#unnamed > 0) this.#toldUnnamed.add(wish);
    return this.#toldUnnamed.has(wish);
  }

  /** Prompts of what was being sent when the process died: nobody can know whether that was paid for. */
  async #submitting(): Promise<Set<string>> {
    const rows = await this.#records.rows("select request from renders where state = 'submitting'");
    return new Set(rows.map(({ request }) => (JSON.parse(String(request)) as Wish).prompt));
  }

  async #isOnRecord({ prompt }: Wish): Promise<boolean> {
    return (await this.#records.rows('select 1 from jobs where options like ?', `%${prompt}%`)).length > 0;
  }

  /**
   * Every answer that came to its end is kept, none of them twice; turns of one person in the order in which they
   * were asked for, those of all in the order in which they began. None is left open.
   */
  async #countTurns(): Promise<void> {
    const ended = await this.#records.rows("select id from jobs where command = 'ask' and state = 'done'");
    const conversations = await this.#histories();
    const kept = conversations.flat().map(({ jobId }) => jobId);
    const lost = ended.filter(({ id }) => !kept.includes(String(id))).length;
    this.#report.turnsLost = lost;
    this.#report.turnsKept = kept.length;
    if (lost > 0) this.#fault(`${lost} turns were answered and not kept`);
    if (new Set(kept).size < kept.length) this.#fault('turns were kept twice');
    const open = conversations.flat().filter((turn) => turn.open).length;
    if (open > 0) this.#fault(`${open} turns were left open`);
    for (const order of [...conversations, ...this.#begun]) {
      const still = order.map(({ jobId }) => kept.indexOf(jobId)).filter((place) => place >= 0);
      if (!isRising(still)) this.#fault(`turns not in the order in which they began: ${still.join(', ')}`);
    }
    for (const by of askers) {
      const given = this.#wishes.filter((wish) => wish.command === 'ask' && (wish.by ?? 'ada') === by);
      const prompts = given.map(({ prompt }) => prompt);
      for (const turns of conversations) {
        const places = turns.map(({ asked = '' }) => prompts.indexOf(asked)).filter((place) => place >= 0);
        if (!isRising(places)) this.#fault(`turns of ${by} out of order: ${places.join(', ')}`);
      }
    }
  }

  /** The conversations as they are kept. */
  async #histories(): Promise<readonly (readonly Turn[])[]> {
    const rows = await this.#records.rows("select value from keyv where key like '%exchanges %'");
    return rows.map(({ value }) => turnsIn(String(value)));
  }

  #fault(text: string): void {
    this.#report.faults.push(text);
    this.#options.onFault?.(text);
  }
}

/** A turn of a conversation: with an answer, or open still. */
interface Turn {
  readonly jobId: string;
  readonly asked?: string;
  readonly open?: true;
}

function isRising(places: readonly number[]): boolean {
  return places.every((place, index) => index === 0 || place > (places[index - 1] ?? -1));
}

/** A kept conversation, as Keyv stores it. */
function turnsIn(value: string): readonly Turn[] {
  const stored = JSON.parse(value) as unknown;
  const { value: turns } = (typeof stored === 'string' ? JSON.parse(stored) : stored) as {
    value: readonly Turn[];
  };
  return turns;
}
