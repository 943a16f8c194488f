/**
 * `/docs`: renders the OpenAPI document of the service that serves it. Not a part of the page; nothing
 * imports it.
 */
import SwaggerUIBundle from "swagger-ui-dist/swagger-ui-bundle.js";

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  // The default is a validator on the maker's own host.
  validatorUrl: null,
});
