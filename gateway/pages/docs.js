// Swagger UI on the description that lies beside this page, and on nothing else.
SwaggerUIBundle({
  dom_id: '#reference',
  url: 'openapi.json',
  // The badge that it would show otherwise asks another host.
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // A token stays in this page's memory.
  persistAuthorization: false,
});
