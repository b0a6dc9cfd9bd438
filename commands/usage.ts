import { z } from 'zod';
import { type Action, defineCommand } from '../src/app/define-command.ts';
import { jobButton } from '../src/app/endings.ts';
import { InputError } from '../src/app/faults/explain.ts';
import { feedbackReport, usageReport } from '../src/app/presenters/usage-report.ts';
import {
  beginningOf,
  type ChartTheme,
  groupings,
  type Period,
  periods,
  type UsageScope,
} from '../src/credits/index.ts';
import type { Clock } from '../src/lib/clock.ts';
import type { EffectiveSettings } from '../src/place-settings/index.ts';
import { type Button, fileOf, type Job, refusalOf } from '../src/port/index.ts';
import { words } from '../src/words/index.ts';

const options = {
  period: {
    type: 'choice',
    choices: periods,
    description: { en: 'Since when; today by default', 'zh-CN': '从何时起，默认今天' },
  },
  by: {
    type: 'choice',
    choices: [...groupings, 'feedback'],
    description: {
      en: 'Group by person, channel or kind, or show the feedback on answers',
      'zh-CN': '按人、频道或种类汇总，或查看对回答的评价',
    },
  },
} as const;

/** The choices of buttons. */
const state = z.object({
  /** An administrator's own use alone. */
  mine: z.boolean().exactOptional(),
  /** The look a button chose for the person's charts, from now on. */
  theme: z.enum(['light', 'dark']).exactOptional(),
});

const themeKey = ({ address: { platform }, requester: { id } }: Pick<Job, 'address' | 'requester'>) =>
  `chart ${platform} ${id}`;

/** `/usage`: the person's own credits; for administrators, everybody's. */
export default defineCommand({
  name: 'usage',
  localNames: { 'zh-CN': '用量' },
  description: { en: 'Credits used, as text and as a chart', 'zh-CN': '用掉的积分，文字和图表' },
  help: {
    en: 'You see your own usage; administrators see everyone’s here.\nExample: `/usage period:week by:kind`',
    'zh-CN': '你能看到自己用掉的积分；管理员能看到这里所有人的。\n例如：`/usage period:week by:kind`',
  },
  options,
  state,
  seenBy: 'requester',
  async run(
    { job, options: given, settings, address, requester, reply },
    { notes, credits, feedback, clock, adapters, limitsFor },
  ) {
    const say = words(requester.locale, address.platform);
    const { period = 'today', by, mine = false, theme: chosen } = given;
    const all = requester.administrator && !mine;
    if (chosen) await notes.set(themeKey(job), chosen);
    const theme = chosen ?? (await notes.get<ChartTheme>(themeKey(job))) ?? 'light';
    const scope = scopeOf(job, settings, { period, all }, clock);
    const caller = { address, requester };
    const adapter = adapters(address.platform);
    if (by === 'feedback') {
      const order = { scope, period, whose: all ? 'all' : 'own', caller } as const;
      const report = await feedbackReport(order, { feedback, adapter }, say);
      return void (await reply.say({ ...report, buttons: buttons(job, { all, theme, charted: false }) }));
    }
    const grouping = by ?? (all ? 'user' : 'kind');
    const { budgets } = limitsFor(requester, settings);
    const whose = all ? 'all' : 'own';
    const order = { scope, period, grouping, whose, theme, caller, budgets } as const;
    const { files = [], ...text } = await usageReport(order, { credits, adapter }, say);
    const show = (charted: boolean) =>
      reply.say({ ...text, ...(charted && { files }), buttons: buttons(job, { all, theme, charted }) });
    try {
      await show(files.length > 0);
    } catch (error) {
      // The text says it all: where the chart is refused, it's left out.
      if (files.length === 0 || !refusalOf(error)) throw error;
      await show(false);
    }
  },
  actions: {
    mine: again((options) => ({ ...options, mine: true })),
    everybody: again(({ mine: _, ...options }) => options),
    light: again((options) => ({ ...options, theme: 'light' })),
    dark: again((options) => ({ ...options, theme: 'dark' })),
    csv: {
      who: 'requester',
      answers: 'private',
      postsFiles: 'file',
      async run({ job, requester, reply }, { placeSettings, credits, feedback, clock }) {
        if (!requester.administrator) throw new InputError((say) => say.administratorsOnly);
        const { by } = job.options;
        const period = periods.find((one) => one === job.options.period) ?? 'today';
        const settings = await placeSettings.at(job.address);
        const scope = scopeOf(job, settings, { period, all: true }, clock);
        const isFeedback = by === 'feedback';
        const { bytes, rows } = await (isFeedback ? feedback : credits).csv(scope);
        const text = words(requester.locale).spending.usage.csvReady(rows, isFeedback ? 'votes' : 'calls');
        const about = {
          name: `${isFeedback ? 'feedback' : 'usage'}-${period}.csv`,
          contentType: 'text/csv',
          kind: 'file',
        } as const;
        await reply.say({ text, files: [fileOf(bytes, { ...about, description: text })] });
      },
    },
  },
});

function scopeOf(
  { address, requester }: Job,
  { values }: EffectiveSettings,
  { period, all }: { readonly period: Period; readonly all: boolean },
  clock: Clock,
): UsageScope {
  const since = beginningOf(period, clock.now(), requester.timeZone ?? values.time_zone);
  const { platform, workspace } = address;
  return all ? { platform, workspace, since } : { platform, person: requester.id, since };
}

/** The same with other options; the look chosen before is on record. */
function again(change: (options: Job['options']) => Job['options']): Action {
  return {
    who: 'requester',
    call({ job }) {
      const { theme: _, ...options } = job.options;
      return { command: 'usage', options: change(options) };
    },
  };
}

function buttons(
  job: Job,
  shown: { readonly all: boolean; readonly theme: ChartTheme; readonly charted: boolean },
): readonly Button[] {
  const { requester } = job;
  const say = words(requester.locale).spending.usage;
  const button = (action: string, label: string) => jobButton(job, action, label);
  return [
    ...(shown.all ? [button('mine', say.mine), button('csv', say.csv)] : []),
    ...(!shown.all && requester.administrator ? [button('everybody', say.everybody)] : []),
    ...(shown.charted
      ? [shown.theme === 'light' ? button('dark', say.dark) : button('light', say.light)]
      : []),
  ];
}
