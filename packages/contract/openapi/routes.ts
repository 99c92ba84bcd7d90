import { exampleId } from './example-tokens.ts';
import { failureResponses } from './failures.ts';
import type { Json, JsonObject } from './types.ts';

/** The three browser routes of SSO. They are not operations, so they are not in the proto files. */
export const routes: JsonObject = {
  '/auth/{tenant}/{id}/login': {
    parameters: pathParameters(),
    get: {
      operationId: 'Sso_Login',
      tags: ['Sso'],
      summary: 'Starts a sign-in at a provider',
      description: "Redirects the browser to the tenant's provider.",
      security: [],
      parameters: [
        query(
          'return_to',
          'Where the browser is redirected after the sign-in: a path of this service, or a URL of an allowed origin.',
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
      summary: "Receives a provider's response",
      description:
        'Completes a sign-in: creates a session, sets its cookie and redirects the browser.',
      security: [],
      responses: { ...redirect(), ...failureResponses(true) },
    },
    post: {
      operationId: 'Sso_CallbackPost',
      tags: ['Sso'],
      summary: "Receives a provider's response as a form",
      description:
        "The same for providers that respond with a form: OpenID Connect's form_post and SAML's HTTP-POST binding.",
      security: [],
      requestBody: {
        required: true,
        description: "The provider's response, as the browser sends it.",
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
    description: 'Where the browser is redirected.',
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
