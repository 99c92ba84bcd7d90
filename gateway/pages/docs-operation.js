import { element, json, prose, spans } from './docs-markup.js';
import { fieldList } from './docs-schema.js';

// Shows one operation: description, request, response, and a form to call it.

/** @import { Api, Media, Operation, Response } from './docs-schema.js' */

// Kept in this page's memory only.
let token = '';

/**
 * @param {Api} api
 * @param {string} path
 * @param {string} method
 * @param {Operation} operation
 */
export function operationView(api, path, method, operation) {
  const request = operation.requestBody?.content['application/json'];
  return [
    element('h2', {}, operation.operationId),
    element('p', {}, element('code', {}, `${method.toUpperCase()} ${path}`)),
    ...prose(operation.description),
    ...(request
      ? [
          element('h3', {}, 'Request'),
          fieldList(api, request.schema),
          element('h3', {}, 'Try it'),
          ...tryForm(path, operation, request),
        ]
      : []),
    element('h3', {}, 'Response'),
    ...answer(api, operation.responses['200']),
    element('h3', {}, 'Failures'),
    failures(api, operation.responses),
  ];
}

/**
 * @param {Api} api
 * @param {Response | undefined} response
 */
function answer(api, response) {
  const { description, content = {} } = response ?? {};
  const media = content['application/json'];
  if (!media)
    return [
      element('p', {}, [description, Object.keys(content).join(' or ')].filter(Boolean).join(' ')),
    ];
  return [fieldList(api, media.schema), element('pre', {}, json(media.example))];
}

/**
 * @param {Api} api
 * @param {Readonly<Record<string, Response>>} responses
 */
function failures(api, responses) {
  const errors = Object.entries(responses).filter(([status]) => status >= '400');
  const items = errors.map(([status, { $ref, ...own }]) => {
    const response = api.components.responses[$ref?.split('/').at(-1) ?? ''] ?? own;
    const examples = Object.values(response.content?.['application/json']?.examples ?? {});
    const details = element('details', {}, element('summary', {}, `Examples of ${status}`));
    details.append(
      ...examples.flatMap(({ summary, value }) => [
        element('p', {}, summary),
        element('pre', {}, json(value)),
      ]),
    );
    return element(
      'li',
      {},
      element('p', {}, element('strong', {}, status), ' ', ...spans(response.description ?? '')),
      details,
    );
  });
  return element('ul', { class: 'fields' }, ...items);
}

/**
 * @param {string} path
 * @param {Operation} operation
 * @param {Media} request
 */
function tryForm(path, { security }, { example }) {
  const credential = element('input', {
    id: 'token',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  credential.value = token;
  credential.addEventListener('input', () => (token = credential.value.trim()));
  const body = element('textarea', { id: 'body', spellcheck: 'false' });
  body.value = json(example);
  const status = element('p', { class: 'outcome', role: 'status' });
  const output = element('pre', { hidden: '' });
  const form = element(
    'form',
    {},
    ...(security.length > 0
      ? [element('label', { for: 'token' }, 'Session token or key'), credential]
      : []),
  );
  form.append(
    element('label', { for: 'body' }, 'Request body'),
    body,
    element('button', { type: 'submit' }, 'Send'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(path, body.value, security.length > 0 ? token : '', { status, output });
  });
  return [form, status, output];
}

/**
 * @param {string} path
 * @param {string} body
 * @param {string} credential
 * @param {{ status: HTMLElement, output: HTMLElement }} outcome
 */
async function send(path, body, credential, { status, output }) {
  status.textContent = 'Waiting for the answer …';
  output.hidden = true;
  try {
    const headers = {
      'content-type': 'application/json',
      ...(credential === '' ? {} : { authorization: `Bearer ${credential}` }),
    };
    const response = await fetch(path.slice(1), { method: 'POST', headers, body });
    const text = await response.text();
    status.textContent = `${response.status} ${response.statusText}`;
    output.textContent = response.headers.get('content-type')?.startsWith('application/json')
      ? json(JSON.parse(text))
      : text.slice(0, 100_000);
    output.hidden = false;
  } catch {
    status.textContent = 'The service cannot be reached.';
  }
}
