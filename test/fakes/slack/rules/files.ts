import type { Json } from '../records.ts';
import type { Rule, Trial } from '../trial.ts';

const open = (t: Trial, args: Json = {}) =>
  t.call('files.getUploadURLExternal', { filename: 'a.mp3', length: 4, ...args });

async function uploaded(t: Trial, bytes = 4): Promise<string> {
  const { upload_url, file_id } = await t.ask('files.getUploadURLExternal', { filename: 'a.mp3', length: 4 });
  await fetch(String(upload_url), { method: 'POST', body: new Uint8Array(bytes) });
  return String(file_id);
}

const complete = (t: Trial, id: string, args: Json = {}) =>
  t.call('files.completeUploadExternal', { files: [{ id }], channel_id: t.general.id, ...args });

const download = async (t: Trial, headers: Record<string, string>) => {
  const file = t.ada.file('a.png', new Uint8Array(3));
  const url = `${t.slack.origin}/files-pri/${t.workspace.id}-${file.id}/a.png`;
  const response = await fetch(url, { headers, redirect: 'manual' });
  const target = response.headers.get('location') ?? '';
  return target.startsWith(t.slack.elsewhere.origin)
    ? `${response.status} to another host`
    : `${response.status}`;
};

/** Files: up, shared, down. */
export const fileRules: readonly Rule[] = [
  {
    rule: 'an upload of nothing',
    answer: 'missing_argument',
    source: 'files.getUploadURLExternal: errors',
    attempt: (t) => open(t, { length: 0 }),
  },
  {
    rule: "alternative text under the SDK's name alt_text",
    answer: 'invalid_arguments',
    source: 'files.getUploadURLExternal: alt_txt',
    attempt: (t) => open(t, { alt_text: 'x' }),
  },
  {
    rule: 'alternative text over 1,000 characters',
    answer: 'alt_txt_too_large',
    source: 'files.getUploadURLExternal: errors',
    attempt: (t) => open(t, { alt_txt: 'x'.repeat(1_001) }),
  },
  {
    rule: 'a kind of file that administrators forbade',
    answer: 'file_type_not_allowed',
    source: 'files.getUploadURLExternal: errors',
    attempt: (t) => {
      t.workspace.forbiddenEndings.add('.mp3');
      return open(t);
    },
  },
  {
    rule: 'a kind of file that administrators forbade, where only its completion tells',
    answer: 'file_type_not_allowed',
    source: 'files.completeUploadExternal: errors',
    attempt: async (t) => {
      t.slack.world.readings.fileKindToldEarly = 'refused';
      t.workspace.forbiddenEndings.add('.mp3');
      return complete(t, await uploaded(t));
    },
  },
  {
    rule: 'a clip where administrators allow only images',
    answer: 'file_uploads_except_images_disabled',
    source: 'files.getUploadURLExternal: errors',
    attempt: (t) => {
      t.workspace.imagesOnly = true;
      return open(t);
    },
  },
  {
    rule: 'any file where administrators switched uploads off',
    answer: 'file_uploads_disabled',
    source: 'files.getUploadURLExternal: errors',
    attempt: (t) => {
      t.workspace.uploadsDisabled = true;
      return open(t);
    },
  },
  {
    rule: 'any file where a free workspace’s storage is full',
    answer: 'storage_limit_reached',
    source: 'files.getUploadURLExternal: errors',
    attempt: (t) => {
      t.workspace.isStorageFull = true;
      return open(t);
    },
  },
  {
    rule: 'a file larger than the workspace takes',
    answer: 'file_upload_size_restricted',
    source: 'files.getUploadURLExternal: errors',
    attempt: (t) => {
      t.workspace.maxFileBytes = 3;
      return open(t);
    },
  },
  {
    rule: 'completing what was not uploaded, or not whole',
    answer: 'file_not_found',
    source: 'files.completeUploadExternal: errors',
    attempt: async (t) => complete(t, await uploaded(t, 3)),
  },
  {
    rule: 'completing twice',
    answer: 'file_not_found',
    source: 'files.completeUploadExternal: errors',
    attempt: async (t) => {
      const id = await uploaded(t);
      await complete(t, id);
      return complete(t, id);
    },
  },
  {
    rule: 'sharing with a person instead of a channel',
    answer: 'invalid_channel',
    source: 'files.completeUploadExternal: channel_id',
    attempt: async (t) => complete(t, await uploaded(t), { channel_id: t.ada.user.id }),
  },
  {
    rule: 'sharing where the bot is no member',
    answer: 'not_in_channel',
    source: 'files.completeUploadExternal: errors',
    attempt: async (t) => complete(t, await uploaded(t), { channel_id: t.outside.id }),
  },
  {
    rule: 'sharing into an archived channel',
    answer: 'posting_to_channel_denied',
    source: 'files.completeUploadExternal: errors',
    attempt: async (t) => complete(t, await uploaded(t), { channel_id: t.archived.id }),
  },
  {
    rule: 'a shared file right after its completion, and later',
    answer: '0 shares, then 1',
    source: 'working with files: asynchronous',
    attempt: async (t) => {
      const id = await uploaded(t);
      await complete(t, id);
      const shares = async () => {
        const { file } = (await t.ask('files.info', { file: id })) as { file: { shares: { public: Json } } };
        return Object.keys(file.shares.public).length;
      };
      const before = await shares();
      await t.clock.advance(1_500);
      return `${before} shares, then ${await shares()}`;
    },
  },
  {
    rule: 'sharing in the thread of a message that’s gone by then',
    answer: 'in the channel itself',
    source: 'slack-go issue 1571 (seen of messages; uncertain)',
    attempt: async (t) => {
      const thread_ts = await t.posted();
      const id = await uploaded(t);
      await complete(t, id, { thread_ts });
      t.general.messages.delete(thread_ts);
      await t.clock.advance(1_500);
      const [message] = t.general.messages.values();
      return message?.threadTs === undefined ? 'in the channel itself' : 'in the thread';
    },
  },
  {
    rule: 'an image block of a file that Slack has not read yet, and later',
    answer: 'invalid_blocks, then ok',
    source: 'Block Kit: Slack file object',
    attempt: async (t) => {
      const answer = await t.ask('files.getUploadURLExternal', { filename: 'a.png', length: 4 });
      await fetch(String(answer.upload_url), { method: 'POST', body: new Uint8Array(4) });
      await t.call('files.completeUploadExternal', { files: [{ id: answer.file_id }] });
      const block = { type: 'image', slack_file: { id: answer.file_id }, alt_text: 'x' };
      const post = () => t.call('chat.postMessage', { channel: t.general.id, text: 'x', blocks: [block] });
      const before = await post();
      await t.clock.advance(1_500);
      return `${before}, then ${await post()}`;
    },
  },
  {
    rule: 'an image block of a file that was never shared: put into a message by an edit, posted, and edited then',
    answer: 'others see nothing; they see it; they see it',
    source: 'java-slack-sdk issue 1441, node-slack-sdk issue 2100, bolt-python issue 1295 (seen)',
    attempt: async (t) => {
      const answer = await t.ask('files.getUploadURLExternal', { filename: 'a.png', length: 4 });
      await fetch(String(answer.upload_url), { method: 'POST', body: new Uint8Array(4) });
      await t.call('files.completeUploadExternal', { files: [{ id: answer.file_id }] });
      await t.clock.advance(1_500);
      const blocks = [{ type: 'image', slack_file: { id: answer.file_id }, alt_text: 'x' }];
      const seen = (ts: string) => {
        const message = t.general.messages.get(ts);
        return message && t.ben.seesIn(message).length > 0 ? 'they see it' : 'others see nothing';
      };
      const ts = await t.posted();
      const edit = () => t.call('chat.update', { channel: t.general.id, ts, text: 'x', blocks });
      await edit();
      const before = seen(ts);
      const posted = seen(await t.posted({ blocks }));
      await edit();
      return `${before}; ${posted}; ${seen(ts)}`;
    },
  },
  {
    rule: 'an image block as Slack gave it back, with what it added',
    answer: 'invalid_blocks',
    source: 'bolt-js issue 1841, python-slack-sdk issue 1511 (seen)',
    attempt: async (t) => {
      const image = { type: 'image', image_url: 'https://a.example/a.png', alt_text: 'a cat' };
      const ts = await t.posted({ blocks: [image] });
      const { messages } = await t.ask('conversations.replies', { channel: t.general.id, ts });
      const [{ blocks }] = messages as [{ blocks: Json[] }];
      return t.call('chat.update', { channel: t.general.id, ts, text: 'x', blocks });
    },
  },
  {
    rule: 'asking after a file that was uploaded but not completed',
    answer: 'file_not_found',
    source: 'files.info: errors',
    attempt: async (t) => t.call('files.info', { file: await uploaded(t) }),
  },
  {
    rule: 'an unknown file',
    answer: 'file_not_found',
    source: 'files.info: errors',
    attempt: (t) => t.call('files.info', { file: 'F0NONE' }),
  },
  {
    rule: 'a private file without a token',
    answer: '302 to another host',
    source: 'file objects: url_private',
    attempt: (t) => download(t, {}),
  },
  {
    rule: "a private file with another workspace's token",
    answer: '302 to another host',
    source: 'file objects: url_private',
    attempt: (t) => {
      const { token } = t.slack.install(t.slack.addWorkspace('other'));
      return download(t, { authorization: `Bearer ${token}` });
    },
  },
  {
    rule: 'a private file with a token that lacks files:read',
    answer: '302 to another host',
    source: 'file objects: url_private',
    attempt: (t) => {
      const { token } = t.slack.install(t.workspace, ['chat:write']);
      return download(t, { authorization: `Bearer ${token}` });
    },
  },
];
