import { commands } from '../../../commands/index.ts';
import { stepDefinitions } from '../../../src/platforms/slack/steps/step-definitions.ts';
import type { Execution, Json } from '../../fakes/slack/index.ts';
import { type Html, html } from './html.ts';
import { namesFor, type SlackViewer } from './slack.ts';

/** A step of a workflow after its run: what went in and what came out, under the titles of the app's manifest. */
export function drawStep(
  viewer: SlackViewer,
  { step, state, outputs, error }: Execution,
  inputs: Json,
): Html {
  const definition = stepDefinitions(commands)[step];
  if (!definition) throw new Error(`there is no step ${step}`);
  const nameOf = namesFor(viewer);
  const rows = (values: Json, titles: Readonly<Record<string, { readonly title: string }>>) =>
    Object.entries(values).map(([name, value]) => {
      const text = String(value);
      const shown = nameOf(`<@${text}>`) ?? nameOf(`<#${text}>`) ?? text;
      return html`<tr><td>${titles[name]?.title ?? name}</td><td>${shown}</td></tr>`;
    });
  return html`<div class="form step"><h2>${definition.title}</h2><small>${definition.description}</small>
<table>${rows(inputs, definition.input_parameters)}</table><b>${state}</b>${error}
<table>${rows(outputs ?? {}, definition.output_parameters)}</table></div>`;
}
