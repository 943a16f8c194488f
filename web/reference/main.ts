/**
 * `/docs/api`: renders the OpenAPI document of the service that serves it. Not a part of the page; nothing
 * imports it.
 */
import SwaggerUIBundle from "swagger-ui-dist/swagger-ui-bundle.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  // Null: the default sends the document to a validator of swagger.io.
  validatorUrl: null,
});
