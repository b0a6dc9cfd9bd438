/** Channels of the console. What is removed keeps its row, so that a page that was away learns of it. */
export interface ConsoleChannelsTable {
  id: string;
  name: string;
  created_at: number;
  /** 0 or 1. */
  removed: number;
  /** The change that made it what it is; see `console_revision`. */
  revision: number;
}

/** Threads of the console, each under a message. */
export interface ConsoleThreadsTable {
  id: string;
  channel: string;
  /** The message it hangs under. */
  message: number;
  name: string;
  created_at: number;
  /** 0 or 1. */
  removed: number;
  revision: number;
}

/** Messages of the console: what the person gave, and what was answered. */
export interface ConsoleMessagesTable {
  /** The revision that made it, so that a later message has a greater one. */
  id: number;
  channel: string;
  thread: string | null;
  author: 'you' | 'bot';
  /** The one session that may see it; null: all may. */
  session: string | null;
  /** Keeps it from being posted twice at its place. */
  key: string;
  /** Markdown of an answer; the words of a command. */
  text: string;
  /** JSON of what stands beside the text: buttons, mention, link, command. */
  extras: string;
  created_at: number;
  /** 0 or 1. */
  removed: number;
  revision: number;
}

/** Files of the console; their content is in the files folder, by id. */
export interface ConsoleFilesTable {
  id: string;
  /** Null while no message holds it: uploaded, and not sent yet. */
  message: number | null;
  /** Its place among the message's files. */
  position: number;
  name: string;
  content_type: string;
  kind: 'image' | 'audio' | 'voice' | 'video' | 'file';
  description: string;
  /** In bytes. */
  size: number;
  /** Length of sound or film. */
  seconds: number | null;
  created_at: number;
}

/** One row: how many changes the console has seen. Every change takes the next number. */
export interface ConsoleRevisionTable {
  value: number;
}

export interface ConsoleTables {
  console_channels: ConsoleChannelsTable;
  console_threads: ConsoleThreadsTable;
  console_messages: ConsoleMessagesTable;
  console_files: ConsoleFilesTable;
  console_revision: ConsoleRevisionTable;
}
