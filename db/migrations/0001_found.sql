CREATE TABLE `found_reports` (
	`device_id` text NOT NULL,
	`lock_request_id` text NOT NULL,
	`reported_at` integer NOT NULL,
	`request_id` text NOT NULL,
	`said_sealed` text NOT NULL,
	`source` text NOT NULL,
	PRIMARY KEY(`device_id`, `reported_at`, `request_id`),
	FOREIGN KEY (`device_id`) REFERENCES `device_ticket_locks`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `location_links` (
	`device_id` text PRIMARY KEY NOT NULL,
	`lock_request_id` text NOT NULL,
	`link_sealed` text NOT NULL,
	`host` text NOT NULL,
	`added_at` integer NOT NULL,
	`opened_by` text,
	`opened_at` integer,
	FOREIGN KEY (`device_id`) REFERENCES `device_ticket_locks`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `device_ticket_locks` ADD `found_at` integer;--> statement-breakpoint
ALTER TABLE `device_ticket_locks` ADD `muted_at` integer;--> statement-breakpoint
CREATE INDEX `locks_by_news` ON `device_ticket_locks` (max(ifnull("lost_at", 0), ifnull("found_at", 0))) WHERE ("device_ticket_locks"."lost_at" is not null or "device_ticket_locks"."found_at" is not null);