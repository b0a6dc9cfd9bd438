import { defineCommand } from '../src/app/define-command.ts';
import { InputError } from '../src/app/faults/explain.ts';
import { settingInWords } from '../src/app/presenters/settings-pages.ts';
import {
  type EffectiveSettings,
  inherit,
  isInherit,
  type PersonalChoices,
  type PersonalDefaults,
  personalDefinitions,
  type PersonalName,
  personalNames,
  withPersona,
  writtenPersonally,
} from '../src/place-settings/index.ts';
import { actionId, type AnyValues, type Job, type Message, type Option } from '../src/port/index.ts';
import { type Words, words } from '../src/words/index.ts';
import { optionLabel } from '../src/words/option-labels.ts';

const options: Readonly<Record<string, Option>> = Object.fromEntries(
  personalNames.map((name) => [name, personalDefinitions[name].option]),
);

/** `/me`: what somebody chose for themselves. It overrides the settings of a place, and what is typed overrides it. */
export default defineCommand({
  name: 'me',
  localNames: { 'zh-CN': '我的' },
  description: {
    en: 'Your own defaults: model, voice, language, image size, private',
    'zh-CN': '你自己的默认设置',
  },
  help: {
    en: 'On its own it shows your defaults, with a button to change them. `inherit` undoes one.\nExample: `/me model:svc-llm-1.5-pro private:on`',
    'zh-CN':
      '不带选项时显示你的默认设置和修改按钮。填 `inherit` 恢复默认。\n例如：`/me model:svc-llm-1.5-pro private:on`',
  },
  options,
  seenBy: 'requester',
  async run({ job, options: given, address, requester, reply }, { placeSettings, voiceList }) {
    const say = words(requester.locale);
    const entered = Object.entries(given as AnyValues);
    if (entered.length > 0) {
      const choices = Object.fromEntries(entered.map(([name, value]) => [name, read(name, String(value))]));
      const { voice } = choices as PersonalChoices;
      if (voice !== undefined && !(await voiceList.mayHave(voice)))
        throw new InputError(({ spending }) => spending.settings.unknownVoice(voice));
      await placeSettings.choosePersonally(address, requester.id, choices);
    }
    const { settings, personal } = await placeSettings.forPerson(address, requester.id);
    await reply.say(pageOf(job, withPersona(settings), personal, entered.length > 0, say));
  },
  actions: {
    change: {
      who: 'requester',
      async form({ address, requester }, locale, _, __, { placeSettings }) {
        const { personal } = await placeSettings.forPerson(address, requester.id);
        const values = Object.entries(personal).map(([name, value]) => [
          name,
          writtenPersonally(name as PersonalName, value),
        ]);
        const title = words(locale).me.title.replaceAll('*', '');
        return { title, command: 'me', fields: personalNames, values: Object.fromEntries(values) };
      },
      // What is left empty is taken back.
      call: ({ values }) => ({
        command: 'me',
        options: Object.fromEntries(personalNames.map((name) => [name, values[name] ?? inherit])),
      }),
    },
  },
});

/** The value of what was entered; undefined takes a choice back. @throws {InputError} if it isn't allowed. */
function read(name: string, entered: string): unknown {
  const text = entered.trim();
  if (isInherit(text)) return undefined;
  const { allowed, ...definition } = personalDefinitions[name as PersonalName];
  const value = definition.read(text);
  if (value !== undefined) return value;
  const fault = { option: name, code: 'wrong-form', given: text, allowed } as const;
  throw new InputError((say) => say.faults('me', [fault]));
}

function pageOf(
  { id, requester }: Job,
  { values }: EffectiveSettings,
  personal: PersonalDefaults,
  isChanged: boolean,
  say: Words,
): Message {
  const { me } = say;
  const here = { ...values, private: false };
  const lines = personalNames.map((name) => {
    const label = optionLabel(name, requester.locale);
    const own = personal[name];
    if (own !== undefined) return me.chosen(label, settingInWords(name, own, say));
    const isOfVoice = name === 'language' && personal.voice !== undefined;
    return me.inherited(label, settingInWords(name, isOfVoice ? '' : here[name], say));
  });
  return {
    text: [...(isChanged ? [me.changed] : []), me.title, ...lines, me.hint].join('\n'),
    buttons: [{ id: actionId('me', 'change', id), label: me.change }],
  };
}
