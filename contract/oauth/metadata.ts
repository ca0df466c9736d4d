import { z } from 'zod';

/** The metadata that OAuth clients read before they ask for access (RFC 8414 and RFC 9728). */

const url = () => z.string().meta({ format: 'uri' });

export const ServerMetadata = z.object({
  issuer: url(),
  authorization_endpoint: url(),
  token_endpoint: url(),
  registration_endpoint: url(),
  revocation_endpoint: url(),
  device_authorization_endpoint: url(),
  scopes_supported: z.array(z.string()),
  response_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  revocation_endpoint_auth_methods_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.literal(true),
  client_id_metadata_document_supported: z.literal(true),
  service_documentation: url(),
});
export type ServerMetadata = z.infer<typeof ServerMetadata>;

export const ResourceMetadata = z.object({
  resource: url(),
  authorization_servers: z.array(url()),
  scopes_supported: z.array(z.string()).optional(),
  bearer_methods_supported: z.array(z.string()),
  resource_name: z.string(),
  resource_documentation: url(),
});
export type ResourceMetadata = z.infer<typeof ResourceMetadata>;
