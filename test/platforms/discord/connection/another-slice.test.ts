import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { bring } from '../../../fakes/bring.ts';
import { film } from '../../../fakes/outgoing-files.ts';
import { echo } from '../support/commands.ts';
import { startStage, withoutPermission } from '../support/stage.ts';

/** A process that delivers for one that died, in a server of which its own shards tell it nothing. */
async function start(lacking = 0n) {
  const stage = await startStage({
    ...{ commands: [echo], shards: 'another slice', before: withoutPermission(lacking) },
  });
  return { stage, place: stage.place, adapter: stage.platform.adapter };
}

describe('in a server that’s on another process’s shards', () => {
  it('a message is posted, and a thread opened under it that’s known to be public', async () => {
    const { stage, place, adapter } = await start();
    const posted = await adapter.post(place, { text: 'done' }, 'job1:ready');
    const thread = await adapter.openThread(posted, 'A film');
    expect(thread).toMatchObject({ thread: posted.message, threadIsPublic: true });
    await adapter.post(thread, { text: 'here it is' }, 'job1:film');
    expect(stage.discord.messagesIn({ id: posted.message })).toHaveLength(1);
    expect(await adapter.channelName?.(place)).toBe('#general');
    // All of that with one look at the server.
    expect(stage.discord.journal.to('GET /guilds/{guild_id}')).toHaveLength(1);
  });

  it('a permission that’s missing is named', async () => {
    const { place, adapter } = await start(PermissionFlagsBits.SendMessages);
    await expect(adapter.post(place, { text: 'done' }, 'job1:ready')).rejects.toMatchObject({
      ...{ kind: 'no-permission', detail: 'Send Messages' },
    });
  });

  it('no thread is tried where the bot can’t open one', async () => {
    const { stage, place, adapter } = await start(PermissionFlagsBits.CreatePublicThreads);
    const posted = await adapter.post(place, { text: 'done' }, 'job1:ready');
    expect(await adapter.openThread(posted, 'A film')).toEqual(place);
    expect(stage.discord.journal.to('POST /channels/{channel_id}/messages/{message_id}/threads')).toEqual([]);
  });

  it('what the channel refuses reaches the person directly', async () => {
    const { stage, place } = await start(PermissionFlagsBits.SendMessages);
    await bring(stage, place, { text: 'done', files: [film()], mentions: [stage.ada.user.id] }, 'job1:ready');
    expect(stage.discord.messagesIn(stage.ada.direct())).toHaveLength(1);
  });

  it('a server that can’t be asked for holds nothing up', async () => {
    const { stage, place, adapter } = await start();
    stage.discord.faults.next('GET /guilds/{guild_id}', { kind: 'error', status: 500 }, 20);
    const posted = await adapter.post(place, { text: 'done' }, 'job1:ready');
    expect(await adapter.openThread(posted, 'A film')).toMatchObject({ thread: posted.message });
  });
});
