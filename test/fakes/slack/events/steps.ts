import type { Arguments } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import { needReading } from '../readings.ts';
import type { Execution, Json, Workspace } from '../records.ts';
import type { Caller, World } from '../world.ts';

/** Runs a step of a workflow: the event that tells the app. Throws where Workflow Builder would not start it. */
export function startStep(world: World, workspace: Workspace, step: string, inputs: Json): Json {
  const definition = world.settings.functions.get(step);
  if (!definition) throw new Error(`there is no step ${step}`);
  for (const name of Object.keys(inputs)) {
    if (!definition.inputs.has(name)) throw new Error(`step ${step} has no input ${name}`);
  }
  for (const [name, { required, type }] of definition.inputs) {
    if (inputs[name] === undefined && required) throw new Error(`step ${step} needs ${name}`);
    if (inputs[name] !== undefined && !fits(inputs[name], type)) throw new Error(`${name} is no ${type}`);
  }
  const execution: Execution = {
    id: world.id('Fx'),
    step,
    teamId: workspace.id,
    token: world.secret('xwfp-'),
    startedAt: world.clock.now(),
    state: 'running',
    outputs: undefined,
    error: undefined,
  };
  world.executions.set(execution.id, execution);
  return {
    type: 'function_executed',
    function: { id: world.id('Fn'), callback_id: step, title: step, type: 'app', app_id: world.appId },
    ...(world.optionalFields !== 'absent' && { inputs }),
    function_execution_id: execution.id,
    workflow_execution_id: world.id('Wx'),
    event_ts: world.ts(),
    bot_access_token: execution.token,
  };
}

/** The step that a token belongs to; throws where the token is good no more. */
export function executionOf(world: World, token: string): Execution | undefined {
  const execution = [...world.executions.values()].find((one) => one.token === token);
  if (!execution) return undefined;
  const age = world.clock.now() - execution.startedAt;
  const tooOld = world.readings.stepTokenLives === 'refused' && age > limits.stepTokenMs;
  if (tooOld || execution.state !== 'running') throw new Failure('token_revoked');
  return execution;
}

/** `functions.completeSuccess` */
export function completeStep(world: World, caller: Caller, args: Arguments): Json {
  const outputs = args.object('outputs', 'invalid_arguments') ?? {};
  const execution = running(world, caller, args);
  const definition = world.settings.functions.get(execution.step);
  const given = definition?.outputs ?? new Map();
  const wrong =
    Object.keys(outputs).some((name) => !given.has(name)) ||
    [...given].some(([name, { type, required }]) =>
      outputs[name] === undefined ? required : !fits(outputs[name], type),
    );
  if (wrong) throw new Failure('parameter_validation_failed');
  Object.assign(execution, { state: 'done', outputs });
  return {};
}

/** `functions.completeError` */
export function failStep(world: World, caller: Caller, args: Arguments): Json {
  const error = args.required('error');
  const execution = running(world, caller, args);
  Object.assign(execution, { state: 'failed', error });
  return {};
}

function running(world: World, caller: Caller, args: Arguments): Execution {
  const execution = world.executions.get(args.required('function_execution_id'));
  const own = caller.execution;
  if (!execution || (own !== undefined && own !== execution))
    throw new Failure('function_execution_not_found');
  const reachable = world.reach(caller.installation).some(({ id }) => id === execution.teamId);
  if (!reachable) throw new Failure('function_execution_not_found');
  if (own === undefined) needReading(world.readings, 'stepByBotToken');
  if (execution.state !== 'running') throw new Failure('execution_not_in_running_state');
  return execution;
}

function fits(value: unknown, type: string): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number';
  return typeof value === 'string';
}
