CREATE TABLE `push_endpoints` (
	`device_id` text NOT NULL,
	`lock_request_id` text NOT NULL,
	`holder_sub` text NOT NULL,
	`endpoint_sealed` text NOT NULL,
	`sent_day` integer DEFAULT 0 NOT NULL,
	`sent_count` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`device_id`, `holder_sub`),
	FOREIGN KEY (`device_id`) REFERENCES `device_ticket_locks`(`device_id`) ON UPDATE no action ON DELETE cascade
);
