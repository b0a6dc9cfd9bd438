import { createSandbox, readSettings, type SandboxSettings } from './sandbox.ts';

const settings = readSettings(process.env);
if ('faults' in settings) fail(settings.faults);
else await serve(settings);

async function serve({ port, host, key, behavior }: SandboxSettings): Promise<void> {
  const listening = await createSandbox(behavior)
    .listen(port, host)
    .catch((error: Error) => fail([`HOST, PORT: cannot listen on ${host}:${port} (${error.message}).`]));
  if (!listening) return;
  console.log(`SERVICE_BASE_URL=${listening.url}`);
  console.log(`SERVICE_API_KEY=${key}`);
  console.log(`# curl -H 'Authorization: Bearer ${key}' ${listening.url}/audio/voices`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void listening.close());
}

function fail(faults: readonly string[]): undefined {
  for (const fault of faults) console.error(fault);
  process.exitCode = 1;
  return undefined;
}
