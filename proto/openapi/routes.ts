import { exampleId } from './example-values.ts';
import { failureResponses } from './failures.ts';
import type { Json, JsonObject } from './types.ts';

/** The three routes that are no operations: browsers are sent there, so the proto files cannot say them. */
export const routes: JsonObject = {
  '/auth/{tenant}/{id}/login': {
    parameters: pathParameters(),
    get: {
      operationId: 'Sso_Login',
      tags: ['Sso'],
      summary: 'Begins a sign-in at a provider',
      description: "Sends the browser to the tenant's provider.",
      security: [],
      parameters: [
        query(
          'return_to',
          'Where the browser goes after the sign-in: a path of this service or an address of an allowed origin.',
          '/reports',
        ),
      ],
      responses: { ...redirect(), ...failureResponses(true) },
    },
  },
  '/auth/{tenant}/{id}/callback': {
    parameters: pathParameters(),
    get: {
      operationId: 'Sso_CallbackGet',
      tags: ['Sso'],
      summary: "Takes a provider's answer",
      description: 'Ends a sign-in: starts a session, sets its cookie and sends the browser on.',
      security: [],
      responses: { ...redirect(), ...failureResponses(true) },
    },
    post: {
      operationId: 'Sso_CallbackPost',
      tags: ['Sso'],
      summary: "Takes a provider's answer as a form",
      description:
        "The same for providers that answer with a form: OpenID Connect's form_post and SAML's HTTP-POST binding.",
      security: [],
      requestBody: {
        required: true,
        description: "The provider's answer, as the browser sends it.",
        content: {
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', additionalProperties: { type: 'string' } },
          },
        },
      },
      responses: { ...redirect(), ...failureResponses(true) },
    },
  },
};

function redirect(): JsonObject {
  const location = {
    description: 'Where the browser goes on.',
    schema: { type: 'string' },
    example: '/reports',
  };
  return {
    200: { description: 'Declared for every operation. Success of this route is 303.' },
    303: { description: 'Success. The body has no fields.', headers: { Location: location } },
  };
}

function pathParameters(): Json {
  return [
    parameter('tenant', "The tenant's ID.", exampleId('tnt')),
    parameter('id', "The ID of the tenant's provider.", exampleId('sso')),
  ];
}

function parameter(name: string, description: string, example: string): Json {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example };
}

function query(name: string, description: string, example: string): Json {
  return { name, in: 'query', required: false, description, schema: { type: 'string' }, example };
}
