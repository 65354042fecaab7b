#pragma once
#include <stdarg.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <microhttpd.h>

/// The limits of a server; 0 never means "none" here.
struct cuecard_mhd_limits {
    unsigned int connections;
    unsigned int connections_per_address;
    unsigned int silence_seconds;
    size_t memory_bytes;
};

/// MHD_start_daemon is variadic, which Swift cannot call. One polling thread serves a socket that already listens.
static inline struct MHD_Daemon *cuecard_mhd_start(
    int listening, struct cuecard_mhd_limits limits, void *context, MHD_AccessHandlerCallback access,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connection)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL, access, context,
        MHD_OPTION_LISTEN_SOCKET, listening,
        MHD_OPTION_CONNECTION_LIMIT, limits.connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits.connections_per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, limits.silence_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.memory_bytes,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connection, context,
        MHD_OPTION_END);
}

/// The socket of a connection; MHD_get_connection_info is variadic too.
static inline int cuecard_mhd_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
