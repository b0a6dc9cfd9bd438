CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "keyv" ("key" text primary key, "value" text not null, "expires" bigint);
CREATE INDEX "keyv_expires" on "keyv" ("expires");
CREATE TABLE "jobs" ("id" text primary key, "event_id" text not null unique, "command" text not null, "options" text not null, "address" text not null, "requester" text not null, "state" text not null, "created_at" bigint not null, "acknowledgement" text, "confirmed_in" text);
CREATE INDEX "jobs_state" on "jobs" ("state");
CREATE TABLE "console_revision" ("value" bigint not null);
CREATE TABLE "console_channels" ("id" text primary key, "name" text not null, "created_at" bigint not null, "removed" integer default 0 not null, "revision" bigint not null);
CREATE TABLE "console_threads" ("id" text primary key, "channel" text not null references "console_channels" ("id"), "message" bigint not null unique, "name" text not null, "created_at" bigint not null, "removed" integer default 0 not null, "revision" bigint not null);
CREATE TABLE "console_messages" ("id" bigint primary key, "channel" text not null references "console_channels" ("id"), "thread" text references "console_threads" ("id"), "author" text not null, "session" text, "key" text not null unique, "text" text not null, "extras" text not null, "created_at" bigint not null, "removed" integer default 0 not null, "revision" bigint not null);
CREATE INDEX "console_messages_place" on "console_messages" ("channel", "thread", "id");
CREATE INDEX "console_messages_revision" on "console_messages" ("revision");
CREATE TABLE "console_files" ("id" text primary key, "message" bigint, "position" integer default 0 not null, "name" text not null, "content_type" text not null, "kind" text not null, "description" text not null, "size" bigint not null, "seconds" real, "created_at" bigint not null);
CREATE INDEX "console_files_message" on "console_files" ("message");
CREATE TABLE "ledger" ("id" text primary key, "job" text not null, "platform" text not null, "workspace" text not null, "channel" text not null, "thread" text, "person" text not null, "person_name" text not null, "conversation_id" text not null, "kind" text not null, "model" text not null, "quantity" text not null, "state" text not null, "estimated" integer not null, "low" bigint not null, "high" bigint not null, "request_id" text, "created_at" bigint not null, "settled_at" bigint);
CREATE INDEX "ledger_job" on "ledger" ("job");
CREATE INDEX "ledger_state" on "ledger" ("state");
CREATE INDEX "ledger_workspace" on "ledger" ("platform", "workspace", "created_at", "high");
CREATE INDEX "ledger_channel" on "ledger" ("platform", "workspace", "channel", "created_at", "person", "high");
CREATE INDEX "ledger_person" on "ledger" ("platform", "person", "created_at", "high");
CREATE TABLE "place_settings" ("platform" text not null, "workspace" text not null, "channel" text not null, "name" text not null, "value" text not null, constraint "place_settings_key" primary key ("platform", "workspace", "channel", "name"));
CREATE TABLE "setting_changes" ("id" text primary key, "platform" text not null, "workspace" text not null, "channel" text not null, "name" text not null, "before" text, "after" text, "person" text not null, "person_name" text not null, "changed_at" bigint not null);
CREATE INDEX "setting_changes_place" on "setting_changes" ("platform", "workspace", "changed_at");
CREATE TABLE "live_answers" ("job_id" text primary key references "jobs" ("id"), "kind" text not null, "messages" text not null, "last_text" text not null);
CREATE INDEX "jobs_created_at" on "jobs" ("created_at");
CREATE TABLE "budget_use" ("platform" text not null, "workspace" text not null, "channel" text not null, "person" text not null, "quarter" integer not null, "high" bigint not null, constraint "budget_use_key" primary key ("platform", "workspace", "channel", "person", "quarter"));
CREATE INDEX "budget_use_quarter" on "budget_use" ("quarter");
CREATE TABLE "deliveries" ("job_id" text primary key references "jobs" ("id"), "message" text not null, "created_at" bigint not null);
CREATE TABLE "feedback" ("job" text not null, "person" text not null, "platform" text not null, "workspace" text not null, "channel" text not null, "good" integer not null, "voted_at" bigint not null, constraint "feedback_by_person" primary key ("job", "person"));
CREATE INDEX "feedback_by_place" on "feedback" ("platform", "workspace", "voted_at");
CREATE TABLE "personal_defaults" ("platform" text not null, "workspace" text not null, "person" text not null, "name" text not null, "value" text not null, constraint "personal_defaults_key" primary key ("platform", "workspace", "person", "name"));
CREATE TABLE "renders" ("id" text primary key, "kind" text not null, "state" text not null, "request" text not null, "conversation_id" text not null, "message" text not null, "task_id" text, "result" text, "delivered" text, "fault" text, "created_at" bigint not null, "updated_at" bigint not null, "attempts" integer default 0 not null, "waited_ms" bigint default 0 not null, "unanswered_ms" bigint default 0 not null, "job" text not null references "jobs" ("id"), "part" integer default 1 not null, "parts" integer default 1 not null);
CREATE INDEX renders_state on renders (state);
CREATE INDEX renders_of_job on renders (job);
CREATE INDEX renders_open on renders (created_at) where delivered is null;
CREATE INDEX renders_at on renders (
      json_extract(message, '$.platform'),
      json_extract(message, '$.workspace'),
      json_extract(message, '$.channel'),
      created_at
    ) where delivered is null;
insert into console_revision (value) values (0);
insert into kysely_migration (name, timestamp) values
  ('0001-first', '2026-11-20T00:00:00.000Z'),
  ('0002-console', '2026-11-20T00:00:00.001Z'),
  ('0003-credits', '2026-11-20T00:00:00.002Z'),
  ('0004-place-settings', '2026-11-20T00:00:00.003Z'),
  ('0005-live-answers', '2026-11-20T00:00:00.004Z'),
  ('0006-budget-use', '2026-11-20T00:00:00.005Z'),
  ('0007-paid-results', '2026-11-20T00:00:00.006Z'),
  ('0010-renders-at', '2026-11-20T00:00:00.007Z'),
  ('0011-answered-event', '2026-11-20T00:00:00.008Z'),
  ('0012-unanswered-renders', '2026-11-20T00:00:00.009Z'),
  ('0013-platform-data', '2026-11-20T00:00:00.010Z'),
  ('0014-feedback', '2026-11-20T00:00:00.011Z'),
  ('0015-personal-defaults', '2026-11-20T00:00:00.012Z'),
  ('0016-render-groups', '2026-11-20T00:00:00.013Z');
insert into jobs (id, event_id, command, options, address, requester, state, created_at) values
  ('held', 'e1', 'speak', '{}', '{"platform":"discord","workspace":"w","channel":"c"}', '{"id":"ann","name":"Ann"}', 'done', 1),
  ('film', 'e2', 'video', '{}', '{"platform":"discord","workspace":"w","channel":"c"}', '{"id":"ann","name":"Ann"}', 'running', 2);
insert into deliveries (job_id, message, created_at) values ('held', '{"message":{"text":"a"},"isHeld":true}', 1), ('film', '{"message":{"text":"b"}}', 2);
insert into renders (id, job, kind, state, request, conversation_id, message, created_at, updated_at) values
  ('film', 'film', 'video', 'waiting', '{}', 'x', '{"platform":"discord","workspace":"w","channel":"c","message":"m"}', 2, 2);
