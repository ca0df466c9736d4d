import { z } from 'zod';

/**
 * The fields of Compose files and Kubernetes objects that our samples use, as the specifications of both describe them. A
 * misspelt field is not ignored, as an engine would.
 */

const strings = z.array(z.string());
const names = z.record(z.string(), z.string());
const seconds = z.string().regex(/^\d+s$/);

const ComposeService = z.strictObject({
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  image: z.string(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  environment: names.optional(),
  volumes: strings.optional(),
  networks: z.record(z.string(), z.strictObject({ ipv4_address: z.ipv4() })),
  ports: z.array(z.string().regex(/^\d+:\d+(\/udp)?$/)).optional(),
  depends_on: z
    .union([
      strings,
      z.record(z.string(), z.strictObject({ condition: z.enum(['service_started', 'service_healthy']) })),
    ])
    .optional(),
  healthcheck: z
    .strictObject({ test: strings, interval: seconds, start_period: seconds.optional() })
    .optional(),
  command: strings.optional(),
  entrypoint: strings.optional(),
  read_only: z.boolean().optional(),
  tmpfs: strings.optional(),
  cap_drop: strings.optional(),
  cap_add: strings.optional(),
  security_opt: strings.optional(),
  stop_grace_period: seconds.optional(),
});

const Ipam = z.strictObject({
  config: z.array(z.strictObject({ subnet: z.cidrv4(), gateway: z.ipv4().optional() })),
});

export const ComposeFile = z.strictObject({
  'x-node': z.unknown().optional(),
  'x-settings': z.unknown().optional(),
  services: z.record(z.string(), ComposeService),
  volumes: z.record(z.string(), z.null()),
  networks: z.record(z.string(), z.strictObject({ ipam: Ipam })),
});

const Metadata = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  labels: names.optional(),
});
const Named = z.strictObject({ name: z.string() });
const selector = z.strictObject({ matchLabels: names });

const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: z.string() }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int(),
});

const Container = z.strictObject({
  name: z.string(),
  image: z.string(),
  envFrom: z.array(z.strictObject({ configMapRef: Named.optional(), secretRef: Named.optional() })),
  env: z.array(
    z.strictObject({
      name: z.string(),
      value: z.string().optional(),
      valueFrom: z.strictObject({ fieldRef: z.strictObject({ fieldPath: z.string() }) }).optional(),
    }),
  ),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.boolean(),
    readOnlyRootFilesystem: z.boolean(),
    capabilities: z.strictObject({ drop: strings }),
  }),
  resources: z.strictObject({ requests: names, limits: names }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string().startsWith('/') })),
});

const PodSpec = z.strictObject({
  terminationGracePeriodSeconds: z.int(),
  automountServiceAccountToken: z.boolean(),
  securityContext: z.strictObject({
    runAsNonRoot: z.boolean(),
    runAsUser: z.int(),
    runAsGroup: z.int(),
    fsGroup: z.int(),
    seccompProfile: z.strictObject({ type: z.enum(['Unconfined', 'RuntimeDefault', 'Localhost']) }),
  }),
  topologySpreadConstraints: z.array(
    z.strictObject({
      maxSkew: z.int(),
      topologyKey: z.string(),
      whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
      labelSelector: selector,
    }),
  ),
  containers: z.array(Container),
  volumes: z.array(z.strictObject({ name: z.string(), emptyDir: z.strictObject({}) })),
});

export const Deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata: Metadata,
  spec: z.strictObject({
    replicas: z.int(),
    selector,
    strategy: z.strictObject({
      rollingUpdate: z.strictObject({ maxSurge: z.int(), maxUnavailable: z.int() }),
    }),
    template: z.strictObject({
      metadata: z.strictObject({ labels: names, annotations: names }),
      spec: PodSpec,
    }),
  }),
});

const NetworkPort = z.strictObject({
  port: z.union([z.string(), z.int()]),
  endPort: z.int().optional(),
});

export const KubernetesObject = z.discriminatedUnion('kind', [
  Deployment,
  z.strictObject({
    ...{ apiVersion: z.literal('v1'), kind: z.literal('Secret'), metadata: Metadata },
    ...{ type: z.literal('Opaque'), stringData: names },
  }),
  z.strictObject({
    ...{ apiVersion: z.literal('v1'), kind: z.literal('ConfigMap'), metadata: Metadata, data: names },
  }),
  z.strictObject({
    ...{ apiVersion: z.literal('policy/v1'), kind: z.literal('PodDisruptionBudget'), metadata: Metadata },
    spec: z.strictObject({ maxUnavailable: z.int(), selector }),
  }),
  z.strictObject({
    ...{ apiVersion: z.literal('v1'), kind: z.literal('Service'), metadata: Metadata },
    spec: z.strictObject({
      selector: names,
      ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
    }),
  }),
  z.strictObject({
    ...{
      apiVersion: z.literal('networking.k8s.io/v1'),
      kind: z.literal('NetworkPolicy'),
      metadata: Metadata,
    },
    spec: z.strictObject({
      podSelector: selector,
      policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
      ingress: z.array(
        z.strictObject({
          from: z.array(z.strictObject({ podSelector: selector })).optional(),
          ports: z.array(NetworkPort),
        }),
      ),
    }),
  }),
]);
