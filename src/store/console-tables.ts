/** Channels of the console. Removed ones keep their row, so that a page that was offline learns of it. */
export interface ConsoleChannelsTable {
  id: string;
  name: string;
  created_at: number;
  /** 0 or 1. */
  removed: number;
  /** The change that last touched it; see `console_revision`. */
  revision: number;
}

/** Threads of the console, each below a message. */
export interface ConsoleThreadsTable {
  id: string;
  channel: string;
  /** The message it belongs to. */
  message: number;
  name: string;
  created_at: number;
  /** 0 or 1. */
  removed: number;
  revision: number;
}

/** Messages of the console: people's input, and answers. */
export interface ConsoleMessagesTable {
  /** The revision that created it, so that a later message has a greater one. */
  id: number;
  channel: string;
  thread: string | null;
  author: 'you' | 'bot';
  /** The only session that may see it; null: all may. */
  session: string | null;
  /** Prevents posting it twice at its address. */
  key: string;
  /** Markdown of an answer; the text of a command. */
  text: string;
  /** JSON of everything besides the text: buttons, mention, link, command. */
  extras: string;
  created_at: number;
  /** 0 or 1. */
  removed: number;
  revision: number;
}

/** Files of the console; their content is in the files folder, by id. */
export interface ConsoleFilesTable {
  id: string;
  /** Null until a message contains it: uploaded, but not sent yet. */
  message: number | null;
  /** Its position among the message's files. */
  position: number;
  name: string;
  content_type: string;
  kind: 'image' | 'audio' | 'voice' | 'video' | 'file';
  description: string;
  /** In bytes. */
  size: number;
  /** Duration of audio or video. */
  seconds: number | null;
  created_at: number;
}

/** A single row: the number of changes so far. Every change takes the next number. */
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
