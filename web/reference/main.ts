/** `/docs`: the OpenAPI document of the service it came from, rendered. Not a part of the page; nothing imports it. */
import SwaggerUIBundle from "swagger-ui-dist/swagger-ui-bundle.js";

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  // Its default is a validator on a host of its maker's.
  validatorUrl: null,
});
