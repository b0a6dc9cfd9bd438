import { describe, expect, it } from 'vitest';
import { defaultBehavior } from '../../../src/sandbox/account/behavior.ts';
import { mediaType } from '../../../src/service/decode/media.ts';
import { blocksAsText, type Json, type Message, type View } from '../../fakes/slack/index.ts';
import { labelsOf, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

const done = (message: Message | undefined) => labelsOf(message).includes('Regenerate');
const withFile = (scene: SlackScene, ending: string) => () =>
  scene.said().find(({ files }) => files.some((id) => scene.workspace.files.get(id)?.name.endsWith(ending)));

/** A clip's words are below it, with its button. */
const isSpoken = (scene: SlackScene) =>
  scene.said().some((one) => textOf(one).includes('Good morning, everybody.'));

describe('the four talents on Slack', () => {
  it.each(['socket', 'http'] as const)(
    '/ask and a mention below it are one conversation, which outlives a restart, in %s mode',
    async (mode) => {
      const scene = await startSlackScene(mode);
      const { ada, ben, general } = scene;
      await ada.types('/ask Remember the number 4711.', general);
      const root = await scene.labelled('Regenerate');
      expect(textOf(root)).toContain('*ada* · `/ask` Remember the number 4711.');
      await scene.restart();
      ben.says(`${ben.bot} What was the number?`, general, { thread: root.ts });
      const second = await scene.until('the second answer', () =>
        scene.said().find((message) => message.threadTs === root.ts && labelsOf(message).length > 0),
      );
      expect(second.pings).toEqual([]);
      expect(scene.said()).toHaveLength(2);
    },
  );

  // Fact: Older iPhones play no Ogg (not documented)
  it('/speak: a clip that plays in place, mp3 where no format was chosen, with its words', async () => {
    const scene = await startSlackScene('socket');
    await scene.ada.types('/speak Good morning, everybody.', scene.general);
    const clip = await scene.until('the clip', withFile(scene, '.mp3'));
    await scene.until('its words', () => isSpoken(scene));
    const [id = ''] = clip.files;
    expect(scene.slack.bytesOf(scene.workspace, id).length).toBeGreaterThan(2_000);
    expect(scene.workspace.files.get(id)?.altText).toContain('Good morning');
    const last = await scene.labelled('Delete');
    await scene.ada.presses(last, 'Delete');
    await scene.until('nothing is left', () => scene.said().length === 0);
  });

  it('/video: a root at once, its thread with the video, the requester told once', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    await ada.types('/video a cat surfing --duration 4 --resolution 480p', general);
    const film = await scene.until('the video', withFile(scene, '.mp4'));
    const [root] = scene.said();
    expect(textOf(root)).toContain('a cat surfing');
    expect(film.threadTs).toBe(root?.ts);
    const there = () => textOf(scene.said()[0]);
    await scene.until('the way there', () => there().includes('Ready: ') && !there().includes('below'));
    expect(there()).toMatch(new RegExp(`/archives/${general.id}/p\\d+\\?thread_ts=${root?.ts}`));
    await scene.until('the buttons', () => scene.said().some((message) => labelsOf(message).length >= 3));
    const pings = scene.said().flatMap((message) => message.pings);
    expect(pings).toEqual([ada.user.id]);
    expect(
      Buffer.from(scene.slack.bytesOf(scene.workspace, film.files[0] ?? '')).toString('latin1', 4, 8),
    ).toBe('ftyp');
  });
});

describe('Slack', () => {
  it('/speak: an mp3 though the service gives vorbis whatever it is asked for', async () => {
    const shapes = { ...defaultBehavior.shapes, speech: 'vorbis' } as const;
    const scene = await startSlackScene('socket', { shapes });
    await scene.ada.types('/speak Good morning, everybody.', scene.general);
    const clip = await scene.until('the clip', withFile(scene, '.mp3'));
    expect(mediaType(scene.slack.bytesOf(scene.workspace, clip.files[0] ?? ''))).toBe('audio/mpeg');
  });

  it('Home shows a person’s video in progress with its link; a workflow’s step brings it, though the bot is restarted', async () => {
    const scene = await startSlackScene('socket', { renderTime: 0.05 });
    const { ada, ben, general } = scene;
    const inputs = { prompt: 'a cat surfing', duration: 4, resolution: '480p', channel: general.id };
    const { execution } = ada.runs('video', { ...inputs, person: ada.user.id });
    const root = await scene.until('the root', () => scene.said()[0]);
    const home = await scene.until('the Home tab', async () => {
      await ada.opensHome().done;
      const text = blocksAsText((ada.home?.content.blocks ?? []) as Json[]);
      return text.includes('Video: a cat surfing') && text;
    });
    for (const command of ['/ask', '/speak', '/imagine', '/video']) expect(home).toContain(`\`${command}\``);
    expect(home).toContain(`/archives/${general.id}/p${root.ts.replace('.', '')}`);
    expect(home).toMatch(/Today: \*[\d.,]+\*/);
    expect(home).not.toContain('For administrators');
    // Their own defaults, set in a form above a window above the tab.
    await ada.pressesIn(ada.home as View, 'Change');
    const window = await scene.until('the window', () => ada.form);
    await ada.pressesIn(window, 'Change');
    await scene.until('the form', () => scene.slack.views.of(ada.user.id).length === 2);
    await ada.sends({ Model: 'svc-llm-1.5-pro' });
    const shows = (view: View | undefined, text: string) =>
      blocksAsText((view?.content.blocks ?? []) as Json[]).includes(text);
    await scene.until('the change in the window', () => shows(ada.form, 'svc-llm-1.5-pro'));
    await scene.until('the change in the tab', () => shows(ada.home, 'Model: `svc-llm-1.5-pro`'));
    await ben.opensHome().done;
    const other = await scene.until('ben’s Home tab', () => ben.home);
    expect(blocksAsText(other.content.blocks as Json[])).toContain('现在没有正在为你制作的图片或视频。');

    await scene.restart();
    await scene.until('the end of the step', () => execution.state !== 'running');
    expect(execution).toMatchObject({
      state: 'done',
      outputs: {
        file_link: expect.stringContaining('.mp4'),
        message_link: expect.stringContaining(general.id),
      },
    });
    expect(scene.said().filter(({ files }) => files.length > 0)).toHaveLength(1);
  });

  it('a workflow’s step hands on its clip, though Slack took that only later', async () => {
    const { ada, general, slack, said, until } = await startSlackScene('socket');
    slack.api.faults.plan('files.getUploadURLExternal', { kind: 'status', status: 503, when: 'before' }, 8);
    const { execution } = ada.runs('speak', { text: 'Hello', channel: general.id, person: ada.user.id });
    await until('its end', () => execution.state !== 'running');
    await until('the clip', () => said().some(({ files }) => files.length > 0));
    expect(execution.state).toBe('done');
    expect(execution.outputs?.file_link).toContain('speech.mp3');
  });

  it('a workflow’s step that would need a confirmation is refused, and nothing is spent', async () => {
    const scene = await startSlackScene('socket', {}, { CONFIRM_OVER_CREDITS: '10' });
    const { execution } = scene.ada.runs('imagine', { prompt: 'a cat', channel: scene.general.id });
    await scene.until('the end of the step', () => execution.state !== 'running');
    expect(execution.error).toContain('can’t ask anyone');
    expect(await scene.spent()).toBe(0);
    expect(scene.said()).toEqual([]);
  });

  it.each(['ogg', 'wav'])(
    '/speak: a clip that was paid for comes as %s where mp3 is forbidden',
    async (ending) => {
      const scene = await startSlackScene('socket');
      const { ada, general, slack, workspace } = scene;
      // It shows only when the clip is there.
      slack.world.readings.fileKindToldEarly = 'refused';
      workspace.forbiddenEndings.add('.mp3');
      if (ending === 'wav') workspace.forbiddenEndings.add('.ogg');
      await ada.types('/speak Good morning, everybody.', general);
      const clip = await scene.until('the clip', withFile(scene, `.${ending}`));
      await scene.until('its words', () => isSpoken(scene));
      const type = mediaType(slack.bytesOf(workspace, clip.files[0] ?? ''));
      expect(type).toContain(`audio/${ending}`);
    },
  );

  it('a video that’s asked for in the thread below an answer leaves that as it is', async () => {
    const scene = await startSlackScene('socket');
    const { ada, ben, general } = scene;
    await ada.types('/ask repeat: marmalade', general);
    const isDone = (message: Message) => labelsOf(message).includes('Regenerate');
    const answer = await scene.until('the answer', () => scene.said().find(isDone));
    ben.says(`${ben.bot} video a cat surfing --duration 4 --resolution 480p`, general, { thread: answer.ts });
    const film = await scene.until('the video', withFile(scene, '.mp4'));
    await scene.until('its buttons', () =>
      scene.said().some((one) => one.threadTs === answer.ts && labelsOf(one).length >= 3),
    );
    expect(film.threadTs).toBe(answer.ts);
    expect(textOf(answer)).toContain('marmalade');
    expect(isDone(answer)).toBe(true);
  });

  it('/video where the channel forbids threads: the video comes in the channel', async () => {
    const scene = await startSlackScene('socket');
    scene.general.threads = 'forbidden';
    await scene.ada.types('/video a cat surfing --duration 4 --resolution 480p', scene.general);
    const film = await scene.until('the video', withFile(scene, '.mp4'));
    expect(film.threadTs).toBeUndefined();
    expect(scene.said(scene.ada.directMessages)).toEqual([]);
  });

  it('/speak in a shared channel that files are kept out of: the clip comes directly', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general, slack, workspace } = scene;
    const code = 'slack_connect_file_upload_sharing_blocked';
    const inGeneral = ({ channel_id }: Json) => channel_id === general.id;
    slack.api.faults.plan('files.completeUploadExternal', { kind: 'error', code }, 1_000, inGeneral);
    await ada.types('/speak Good morning, everybody.', general);
    const clip = await scene.until('the clip', () =>
      scene.said(ada.directMessages).find(({ files }) => files.length > 0),
    );
    expect(mediaType(slack.bytesOf(workspace, clip.files[0] ?? ''))).toContain('audio/');
  });

  it('/imagine by the form, with a private image to go by, then again from its button', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    await ada.types('/imagine a lighthouse --size 1024x1024', general);
    const drawn = await scene.until('the image', () =>
      scene.said().find((message) => message.blocks.some(({ type }) => type === 'image')),
    );
    const image = drawn.blocks.find(({ type }) => type === 'image') as { slack_file: { id: string } };
    const bytes = scene.slack.bytesOf(scene.workspace, image.slack_file.id);
    expect(Buffer.from(bytes).toString('latin1', 1, 4)).toBe('PNG');
    await ada.types('/imagine', general);
    await scene.until('the form', () => ada.form);
    await ada.sends({ prompt: 'the same by night', 'files:reference': [ada.file('a.png', bytes)] });
    const second = await scene.until('the second image', () =>
      scene
        .said()
        .find((message) => message !== drawn && message.blocks.some(({ type }) => type === 'image')),
    );
    expect(textOf(second)).toContain('the same by night');
    const label = labelsOf(drawn)[0] ?? '';
    await ada.presses(drawn, label);
    await scene.until(
      'the third image',
      () => scene.said().filter((message) => message.blocks.some(({ type }) => type === 'image'))[2],
    );
    await ada.presses(drawn, 'Edit');
    const edit = await scene.until('the form', () => ada.form);
    expect(JSON.stringify(edit)).toContain('"max_files":3');
    await ada.sends({ prompt: 'the same with a boat', 'files:reference': [ada.file('b.png', bytes)] });
    await scene.saying('the same with a boat');
  });

  it('/imagine count and spoiler: several images in one message; what is hidden comes in its thread', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    const isImage = ({ type }: Json) => type === 'image';
    const withImages = () => scene.said().filter((message) => message.blocks.some(isImage));
    await ada.types('/imagine a lighthouse --count 2', general);
    const [drawn] = await scene.until('the images', () =>
      withImages().length > 0 ? withImages() : undefined,
    );
    expect(drawn?.blocks.filter(isImage)).toHaveLength(2);
    expect(labelsOf(drawn)).toEqual(['Use 1', 'Use 2', 'Again', 'Report', 'Delete']);
    await ada.types('/imagine the end --spoiler true', general);
    const hidden = await scene.until('the hidden image', () => withImages()[1]);
    const root = scene.said().find(({ ts }) => ts === hidden.threadTs);
    expect(textOf(root)).toContain('the end');
    await scene.until('the note', () => textOf(root).includes('Hidden in the thread.'));
    expect(root?.blocks.some(isImage)).toBe(false);
    expect(labelsOf(root)).toContain('Edit');
    await scene.fills(ada, ada.presses(root!, 'Edit'), { prompt: 'the end, but at night' });
    const edited = await scene.until('the edited image', () => withImages()[2]);
    expect(edited.threadTs).toBeDefined();
  });

  it.each([
    ['after minutes', 60, true],
    ['at once', 0, false],
  ] as const)('an image that fails %s', async (_, renderTime, isTold) => {
    const scene = await startSlackScene('socket', { renderTime });
    const { ada, general } = scene;
    await ada.types('/imagine a cat [[error]]', general);
    const failed = await scene.labelled('Try again');
    // Slack notifies nobody of an edit: whoever waited gets a new message instead.
    await scene.until('one message', () => scene.said().length === 1);
    expect(textOf(failed).includes(`<@${ada.user.id}>`)).toBe(isTold);
  });

  it('who may use a command is chosen in a form, from people and groups', async () => {
    const scene = await startSlackScene('socket');
    const { ada, ben, general, slack, workspace } = scene;
    const chief = scene.chief();
    const group = slack.group(workspace, 'films', [ada]);
    await chief.types('/troupe settings', general);
    const page = await scene.until('the settings', () => chief.whispers[0]);
    await chief.presses(page, 'Who can use what');
    const form = await scene.until('the form', () => chief.form);
    const labels = (form.content.blocks as { label: { text: string } }[]).map(({ label }) => label.text);
    expect(labels.slice(0, 2)).toEqual(['Who can use /ask', 'Who can use /ask: groups']);
    await chief.sends({ 'Who can use /ask: groups': group.id, 'Who can use /video': ada.user.id });
    await scene.until('the new settings', () => JSON.stringify(workspace.ephemerals).includes('`: @films'));
    await ada.types('/ask hello', general);
    await scene.labelled('Regenerate');
    await ben.types('/ask hello', general);
    const [refusal] = await scene.until('the refusal', () => ben.whispers.length > 0 && ben.whispers);
    expect(JSON.stringify(refusal)).toContain('/ask');
    expect(scene.said().filter(done)).toHaveLength(1);
  });

  it("wrong input and help, in the person's language, for their eyes alone", async () => {
    const scene = await startSlackScene('socket');
    const { ada, ben, general } = scene;
    await ada.types('/video a cat --duration 30', general);
    await ben.types('/troupe help', general);
    await scene.until('both', () => ada.whispers.length > 0 && ben.whispers.length > 0);
    expect(JSON.stringify(ada.whispers[0]?.blocks)).toContain('--duration 15');
    expect(JSON.stringify(ben.whispers[0]?.blocks)).toContain('/troupe reset');
    await ben.types('/troupe help 视频', general);
    await scene.whispered(ben, '`duration`');
    expect(scene.said()).toEqual([]);
  });
});

it('a question about a command whose event comes again after a restart leaves no command under way', async () => {
  const METRICS_TOKEN = 'a-token-of-thirty-two-characters';
  const scene = await startSlackScene('http', {}, { CONFIRM_OVER_CREDITS: '10', METRICS_TOKEN });
  const { ada, general, slack, workspace } = scene;
  const { message } = ada.says(`${ada.bot} imagine a cat`, general);
  await scene.until('the question', () => ada.whispers[0]);
  await scene.restart();
  for (const again of slack.echoes(workspace, general, message)) await slack.acknowledged(again);
  expect(ada.whispers).toHaveLength(1);
  const response = await fetch(`${scene.url()}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  expect(await response.text()).toMatch(/^troupe_commands_running 0$/m);
});

describe('Edit under an image, while Slack takes long to tell of that', () => {
  async function edited() {
    const scene = await startSlackScene('socket');
    const { ada, general, slack } = scene;
    await ada.types('/imagine a lighthouse in a storm', general);
    const drawn = await scene.labelled('Edit');
    await ada.presses(drawn, 'Edit');
    await scene.until('the form', () => ada.form);
    slack.api.faults.plan('files.info', { kind: 'delay', ms: 20_000 }, 1);
    const sent = ada.sends({ prompt: 'the same by night' });
    await scene.until('a sign', () => ada.whispers.some(({ text }) => text.includes('On it')));
    await sent;
    return scene;
  }

  it.each([false, true])(
    'its person sees at once that it’s coming, and it comes; restarted then: %s',
    async (restarts) => {
      const scene = await edited();
      if (restarts) await scene.restart();
      await scene.until('the second image', () =>
        scene
          .said()
          .find((one) => textOf(one).includes('the same by night') && labelsOf(one).includes('Edit')),
      );
    },
  );
});
