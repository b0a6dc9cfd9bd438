/** Discord’s permissions as its Chinese client calls them, each with its English name. */
export const chinesePermissions = {
  'View Channels': '查看频道（View Channels）',
  'Send Messages': '发送消息（Send Messages）',
  'Send Messages in Threads': '在子区内发送消息（Send Messages in Threads）',
  'Create Public Threads': '创建公共子区（Create Public Threads）',
  'Attach Files': '附加文件（Attach Files）',
  'Send Voice Messages': '发送语音消息（Send Voice Messages）',
  'Read Message History': '读取消息历史记录（Read Message History）',
  'Embed Links': '嵌入链接（Embed Links）',
  Connect: '连接（Connect，用于语音频道的聊天）',
};

const names: ReadonlyMap<string, string> = new Map(Object.entries(chinesePermissions));

/** A list of permissions for who reads Chinese; those of other platforms stay as they are. */
export function permissionsInChinese(list: string): string {
  return list
    .split(', ')
    .map((name) => names.get(name) ?? name)
    .join('、');
}
