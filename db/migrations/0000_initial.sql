CREATE TABLE `b2b_accounts` (
	`client_id` text NOT NULL,
	`username` text NOT NULL,
	`password_hash` text NOT NULL,
	`airlines` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`client_id`, `username`),
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `client_origins` (
	`origin` text NOT NULL,
	`client_id` text NOT NULL,
	PRIMARY KEY(`origin`, `client_id`),
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `client_origins_by_client` ON `client_origins` (`client_id`);--> statement-breakpoint
CREATE TABLE `clients` (
	`id` text PRIMARY KEY NOT NULL,
	`key_hash` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`login_methods` text NOT NULL,
	`evidence_kinds` text NOT NULL,
	`attestation_policy` text DEFAULT '{}' NOT NULL,
	`federated_issuers` text NOT NULL,
	`airlines` text NOT NULL,
	`scopes` text NOT NULL,
	`flags` text NOT NULL,
	`b2b_secret_hash` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `clients_key_hash_unique` ON `clients` (`key_hash`);--> statement-breakpoint
CREATE TABLE `federated_issuers` (
	`issuer` text PRIMARY KEY NOT NULL,
	`audience` text NOT NULL,
	`jwks` text,
	`jwks_url` text,
	`algorithms` text NOT NULL,
	`max_age_seconds` integer,
	`loads_travel_plans` integer DEFAULT false NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	CONSTRAINT "federated_issuers_keys" CHECK(("federated_issuers"."jwks" is null) <> ("federated_issuers"."jwks_url" is null))
);
--> statement-breakpoint
CREATE TABLE `staff_members` (
	`client_id` text NOT NULL,
	`staff_id` text NOT NULL,
	`pin_hash` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`client_id`, `staff_id`),
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `staff_names` (
	`client_id` text NOT NULL,
	`staff_id` text NOT NULL,
	`name_sealed` text NOT NULL,
	PRIMARY KEY(`client_id`, `staff_id`)
);
--> statement-breakpoint
CREATE TABLE `device_aliases` (
	`alias` text PRIMARY KEY NOT NULL,
	`device_id` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `device_aliases_by_device` ON `device_aliases` (`device_id`);--> statement-breakpoint
CREATE TABLE `device_ticket_locks` (
	`device_id` text PRIMARY KEY NOT NULL,
	`plan_id` text NOT NULL,
	`journey_id` text NOT NULL,
	`baggage_id` integer NOT NULL,
	`entitled` integer NOT NULL,
	`holder_sub` text NOT NULL,
	`writer_sub` text NOT NULL,
	`commits` integer,
	`cti` text,
	`locked_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`lost_at` integer,
	`request_id` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`plan_id`) REFERENCES `travel_plans`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `locks_by_plan` ON `device_ticket_locks` (`plan_id`);--> statement-breakpoint
CREATE INDEX `locks_by_holder` ON `device_ticket_locks` (`holder_sub`,`ends_at`);--> statement-breakpoint
CREATE INDEX `locks_by_end` ON `device_ticket_locks` (`ends_at`);--> statement-breakpoint
CREATE TABLE `devices` (
	`id` text PRIMARY KEY NOT NULL,
	`label` text NOT NULL,
	`gatt_version` text,
	`tag_spki_hash` text,
	`tag_spki` text,
	`commits` integer,
	`spent_commits` integer DEFAULT 0 NOT NULL,
	`ended_holder_sub` text,
	`ended_plan_id` text,
	`ended_reason` text,
	`ended_at` integer,
	`ended_cti` text,
	`model` text,
	`registered_at` integer NOT NULL,
	`entitled_at` integer,
	`review_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `devices_by_review` ON `devices` (`review_at`) WHERE "devices"."review_at" is not null;--> statement-breakpoint
CREATE INDEX `devices_by_ended_plan` ON `devices` (`ended_plan_id`) WHERE "devices"."ended_plan_id" is not null;--> statement-breakpoint
CREATE TABLE `bags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`journey_id` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`licence_plate` text NOT NULL,
	`flight_date` text NOT NULL,
	`readable` text,
	`flags` integer,
	`request_id` text,
	FOREIGN KEY (`journey_id`) REFERENCES `journeys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `bags_by_journey` ON `bags` (`journey_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `bags_plate` ON `bags` (`licence_plate`,`flight_date`);--> statement-breakpoint
CREATE TABLE `flights` (
	`journey_id` text NOT NULL,
	`position` integer NOT NULL,
	`carrier` text NOT NULL,
	`number` text NOT NULL,
	`date` text NOT NULL,
	`from_airport` text NOT NULL,
	`to_airport` text NOT NULL,
	`scheduled_departure` integer,
	`scheduled_arrival` integer,
	PRIMARY KEY(`journey_id`, `position`),
	FOREIGN KEY (`journey_id`) REFERENCES `journeys`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `journeys` (
	`id` text PRIMARY KEY NOT NULL,
	`plan_id` text NOT NULL,
	`passenger_sealed` text,
	`surname_tokens` text NOT NULL,
	`surname_initial` text NOT NULL,
	`departure_airport` text NOT NULL,
	`destination_airport` text NOT NULL,
	`destination_city` text,
	`cabin` text,
	`version` integer DEFAULT 1 NOT NULL,
	FOREIGN KEY (`plan_id`) REFERENCES `travel_plans`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `journeys_by_plan` ON `journeys` (`plan_id`);--> statement-breakpoint
CREATE TABLE `loaded_plans` (
	`sub` text NOT NULL,
	`plan_id` text NOT NULL,
	`loaded_at` integer NOT NULL,
	PRIMARY KEY(`sub`, `plan_id`),
	FOREIGN KEY (`plan_id`) REFERENCES `travel_plans`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `loaded_plans_by_plan` ON `loaded_plans` (`plan_id`);--> statement-breakpoint
CREATE TABLE `plate_ranges` (
	`airline` text PRIMARY KEY NOT NULL,
	`leading` integer NOT NULL,
	`issuer` text NOT NULL,
	`first_serial` integer NOT NULL,
	`last_serial` integer NOT NULL,
	`next_serial` integer NOT NULL,
	`issued_serial` integer,
	`request_id` text,
	CONSTRAINT "plate_ranges_leading" CHECK("plate_ranges"."leading" between 0 and 9),
	CONSTRAINT "plate_ranges_issuer" CHECK("plate_ranges"."issuer" glob '[0-9][0-9][0-9]'),
	CONSTRAINT "plate_ranges_order" CHECK(0 <= "plate_ranges"."first_serial" and "plate_ranges"."first_serial" <= "plate_ranges"."last_serial"),
	CONSTRAINT "plate_ranges_serials" CHECK("plate_ranges"."last_serial" <= 999999),
	CONSTRAINT "plate_ranges_next" CHECK("plate_ranges"."next_serial" between "plate_ranges"."first_serial" and "plate_ranges"."last_serial")
);
--> statement-breakpoint
CREATE TABLE `travel_plans` (
	`id` text PRIMARY KEY NOT NULL,
	`airline` text NOT NULL,
	`locator_hash` text NOT NULL,
	`locator_sealed` text NOT NULL,
	`first_flight_date` text NOT NULL,
	`ends_at` integer NOT NULL,
	`erased_at` integer
);
--> statement-breakpoint
CREATE INDEX `travel_plans_by_locator` ON `travel_plans` (`locator_hash`,`ends_at`);--> statement-breakpoint
CREATE INDEX `travel_plans_by_end` ON `travel_plans` (`ends_at`);--> statement-breakpoint
CREATE INDEX `travel_plans_to_erase` ON `travel_plans` (`ends_at`) WHERE "travel_plans"."erased_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX `travel_plans_booking` ON `travel_plans` (`airline`,`locator_hash`,`first_flight_date`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`event` text NOT NULL,
	`request_id` text NOT NULL,
	`sub` text,
	`client_id` text,
	`airline` text,
	`device_id` text,
	`reason` text,
	`count` integer,
	`merge_key` text,
	`staff_id` text,
	`journey_id` text,
	`baggage_id` integer,
	`licence_plate` text,
	`evidence` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_by_merge_key` ON `audit_log` (`merge_key`) WHERE "audit_log"."merge_key" is not null;--> statement-breakpoint
CREATE INDEX `audit_log_by_airline` ON `audit_log` (`airline`,`at`);--> statement-breakpoint
CREATE INDEX `audit_log_by_device` ON `audit_log` (`device_id`,`at`);--> statement-breakpoint
CREATE TABLE `audit_seals` (
	`id` integer PRIMARY KEY NOT NULL,
	`from_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`count` integer NOT NULL,
	`rows_hash` text NOT NULL,
	`previous_hash` text NOT NULL,
	`sealed_at` integer NOT NULL,
	`kid` text NOT NULL,
	`signature` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `failed_proofs` (
	`device_id` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`last_failed_at` integer NOT NULL,
	`ends_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `failed_proofs_by_end` ON `failed_proofs` (`ends_at`);--> statement-breakpoint
CREATE TABLE `guess_counters` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`request_id` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `guess_counters_by_end` ON `guess_counters` (`ends_at`);--> statement-breakpoint
CREATE TABLE `idempotency_records` (
	`day` integer NOT NULL,
	`sub` text NOT NULL,
	`endpoint` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`outcome` text NOT NULL,
	`facts` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`day`, `sub`, `endpoint`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `attestation_credentials` (
	`client_id` text NOT NULL,
	`format` text NOT NULL,
	`id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`sub` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	`request_id` text NOT NULL,
	PRIMARY KEY(`client_id`, `format`, `id`),
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `attestation_credentials_by_use` ON `attestation_credentials` (`used_at`);--> statement-breakpoint
CREATE INDEX `attestation_credentials_used_once` ON `attestation_credentials` (`created_at`) WHERE "attestation_credentials"."format" = 'webauthn' and "attestation_credentials"."used_at" - "attestation_credentials"."created_at" < 86400000;--> statement-breakpoint
CREATE TABLE `certificates` (
	`session_id` text NOT NULL,
	`serial` text NOT NULL,
	`sub` text NOT NULL,
	`client_id` text NOT NULL,
	`spki_hash` text NOT NULL,
	`issued_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`session_id`, `serial`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `revoked_keys` (
	`spki_hash` text PRIMARY KEY NOT NULL,
	`revoked_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`sub` text NOT NULL,
	`client_id` text NOT NULL,
	`client_bound` integer NOT NULL,
	`method` text NOT NULL,
	`evidence` text NOT NULL,
	`scopes` text NOT NULL,
	`airlines` text NOT NULL,
	`key_jwk` text,
	`dpop_jkt` text,
	`refresh_counter` integer NOT NULL,
	`refresh_hash` text NOT NULL,
	`refreshed_at` integer NOT NULL,
	`refresh_expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `used_once` (
	`ends_at` integer NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`ends_at`, `hash`)
) WITHOUT ROWID;--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`airlines` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`place_id` integer NOT NULL,
	`place_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`delivered_at` integer,
	`stopped_at` integer,
	`created_at` integer NOT NULL
);--> statement-breakpoint
CREATE INDEX `webhooks_by_turn` ON `webhooks` (`due_at`) WHERE "webhooks"."stopped_at" is null;
