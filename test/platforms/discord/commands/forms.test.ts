import { Locale } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { actionId, type AnyValues } from '../../../../src/port/index.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import { type Fields, objectsAt } from '../../../fakes/discord/http/fields.ts';
import type { Interaction, Readings, Role } from '../../../fakes/discord/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

const description = { en: 'What this is for', 'zh-CN': '这是做什么的' };
const note = { en: 'Administrators always can.', 'zh-CN': '管理员总是可以。' };
const options = {
  prompt: { type: 'text', required: true, maxCharacters: 3000, description },
  users_ask: { type: 'text', people: { note }, maxCharacters: 2000, description },
  video_audio: { type: 'choice', choices: ['on', 'off', 'inherit'], description },
  generate_audio: { type: 'boolean', description },
  reference_1: { type: 'file', media: 'image', reach: 'data', description },
  reference_2: { type: 'file', media: 'image', reach: 'data', description },
} as const;
/** What the form was sent with. */
let entered: AnyValues[] = [];
/** Who is chosen when the form is opened. */
let chosen = '';

/** A command whose button opens a form with an input of every kind. */
const study = defineCommand<typeof options>({
  name: 'study',
  description,
  help: description,
  options,
  seenBy: 'channel',
  run: async ({ job, reply }) => {
    await reply.say({ text: 'Here', buttons: [{ id: actionId('study', 'fill', job.id), label: 'Fill in' }] });
  },
  actions: {
    fill: {
      who: 'anyone',
      answers: 'quiet',
      form: () => ({
        title: 'Study',
        command: 'study',
        fields: Object.keys(options),
        values: { prompt: 'first', users_ask: chosen, video_audio: 'off', generate_audio: true },
      }),
      run: async ({ values }) => void entered.push(values),
    },
  },
});

const inputs = ({ modal }: Interaction) =>
  objectsAt(modal as Fields, 'components').map(
    ({ label, description: about, component }) => ({ label, about, ...(component as Fields) }) as Fields,
  );

async function opens(readings: Partial<Readings> = {}, locale = Locale.EnglishUS) {
  entered = [];
  const stage = await startStage({ commands: [study], readings });
  const artists = stage.discord.world.addRole(stage.guild, 'artists', 0n);
  stage.discord.events.guildUnavailable(stage.guild);
  stage.discord.events.guildCreated(stage.guild);
  chosen = `${stage.bob.user.id} ${artists.id}`;
  stage.ada.user.locale = locale;
  stage.ada.types(stage.channel, { name: 'study', options: { prompt: 'x' } });
  const message = await stage.discord.until('the button', () =>
    stage.discord.messagesIn(stage.channel).find(({ content }) => content === 'Here'),
  );
  const press = async () => {
    const pressed = await stage.discord.opened(stage.ada.presses(message, 'Fill in'));
    return pressed;
  };
  return { stage, artists, press };
}

const sent = (stage: Stage) => stage.discord.until('what was entered', () => entered[0]);
const picture = { name: 'a.png', contentType: 'image/png', bytes: Buffer.from('png') };
const other = { ...picture, name: 'b.png' };

describe('a form on Discord', () => {
  it('has an input for each kind of option, labelled and described in the person’s language', async () => {
    const { stage, artists, press } = await opens({}, Locale.ChineseCN);
    const form = inputs(await press());
    expect(form.map(({ type }) => type)).toEqual([4, 7, 21, 21, 19]);
    expect(form.map(({ label }) => label)).toEqual([
      '提示词',
      '谁可以用 /ask',
      '视频声音',
      '声音',
      '参考图片',
    ]);
    expect(form[4]).toMatchObject({
      ...{ custom_id: 'reference_1', min_values: 0, max_values: 2 },
      file_types: ['image', '.heic', '.heif'],
    });
    const about = '这是做什么的';
    expect(form.map((input) => input.about)).toEqual([about, '管理员总是可以。', about, about, about]);
    expect(form.map(({ required }) => required)).toEqual([true, false, false, false, false]);
    expect(form[1]?.default_values).toEqual([
      { id: stage.bob.user.id, type: 'user' },
      { id: artists.id, type: 'role' },
    ]);
    expect(objectsAt(form[2] as Fields, 'options')).toEqual([
      { label: '开启', value: 'on' },
      { label: '关闭', value: 'off', default: true },
      { label: '继承', value: 'inherit' },
    ]);
  });

  it('hands on what was chosen, people and roles as mentions', async () => {
    const { stage, artists, press } = await opens();
    const pressed = await press();
    const people = [artists.id, stage.ada.user.id];
    stage.ada.submits(pressed, { users_ask: people, generate_audio: 'false', reference_1: [picture, other] });
    expect(await sent(stage)).toMatchObject({
      prompt: 'first',
      users_ask: `<@&${artists.id}> <@${stage.ada.user.id}>`,
      video_audio: 'off',
      generate_audio: false,
      reference_1: { name: 'a.png' },
      reference_2: { name: 'b.png' },
    });
  });

  it.each([
    ['radio buttons', { formBoxes: 'refused' }, () => {}],
    ['files', { formFiles: 'refused' }, () => {}],
    ['a role that was deleted', {}, (stage: Stage, role: Role) => void stage.guild.roles.delete(role.id)],
  ] as const)('is opened with text fields if Discord doesn’t take %s in it', async (_, readings, change) => {
    const { stage, artists, press } = await opens(readings);
    change(stage, artists);
    const pressed = await press();
    const form = inputs(pressed);
    expect(form.map(({ type }) => type)).toEqual([4, 4, 4, 4]);
    expect(form.map(({ value }) => value)).toEqual(['first', chosen, 'off', 'true']);
    expect(form[2]?.placeholder).toBe('on, off, inherit');
    stage.ada.submits(pressed, {
      prompt: 'second',
      users_ask: '',
      video_audio: 'inherit',
      generate_audio: 'false',
    });
    expect(await sent(stage)).toEqual({ prompt: 'second', video_audio: 'inherit', generate_audio: false });
  });
});
