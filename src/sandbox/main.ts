import { createSandbox } from './sandbox.ts';
import { readSettings } from './settings.ts';

const settings = readSettings(process.env);
if ('faults' in settings) {
  for (const fault of settings.faults) console.error(fault);
  process.exitCode = 1;
} else {
  const { port, host, key, switches } = settings;
  const { url, close } = await createSandbox(switches).listen(port, host);
  console.log(`SERVICE_BASE_URL=${url}`);
  console.log(`SERVICE_API_KEY=${key}`);
  console.log(`# curl -H 'Authorization: Bearer ${key}' ${url}/audio/voices`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
}
